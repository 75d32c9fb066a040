#include "train/run/evaluate.h"

#include "train/losses/losses.h"

namespace edgetwin::train {

std::vector<uint32_t> all_indices(size_t count) {
  std::vector<uint32_t> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = static_cast<uint32_t>(i);
  return result;
}

int best_class(const float* outputs, int classes) {
  return static_cast<int>(std::max_element(outputs, outputs + classes) - outputs);
}

namespace {

// Among the five largest outputs; of equal ones the lower class is the larger.
bool among_five(const float* outputs, int classes, int64_t label) {
  int larger = 0;
  for (int c = 0; c < classes; ++c) {
    if (outputs[c] > outputs[label] || (outputs[c] == outputs[label] && c < label)) ++larger;
  }
  return larger < 5;
}

}  // namespace

Evaluation evaluate(Model& model, const DataSet& data, std::span<const uint32_t> indices,
                    ThreadPool& pool, const std::function<void(const Maps&, size_t)>& each) {
  constexpr size_t kBatch = 256;
  Evaluation result;
  for (size_t first = 0; first < indices.size(); first += kBatch) {
    const auto part = indices.subspan(first, std::min(kBatch, indices.size() - first));
    Recording recording;
    forward(model, data.batch(part), false, recording, pool);
    const Maps& outputs = recording.outputs[model.network.outputs()[0]];
    const std::vector<int64_t> labels = data.batch_labels(part);
    result.loss += cross_entropy(outputs, labels).value * static_cast<double>(part.size());
    const auto classes = static_cast<size_t>(outputs.c);
    result.confusion.resize(classes, std::vector<int64_t>(classes));
    for (size_t i = 0; i < part.size(); ++i) {
      const int best = best_class(outputs.at(static_cast<int>(i), 0, 0), outputs.c);
      if (best == labels[i]) ++result.right;
      if (among_five(outputs.at(static_cast<int>(i), 0, 0), outputs.c, labels[i])) {
        ++result.among_five;
      }
      ++result.confusion[static_cast<size_t>(labels[i])][static_cast<size_t>(best)];
    }
    if (each) each(outputs, first);
  }
  result.items = static_cast<int64_t>(indices.size());
  if (result.items > 0) result.loss /= static_cast<double>(result.items);
  return result;
}

}  // namespace edgetwin::train
