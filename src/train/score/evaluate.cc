#include "train/score/evaluate.h"

#include <cstdio>

#include "train/score/observe.h"

namespace edgetwin::train {
std::vector<uint32_t> all_indices(size_t count) {
  std::vector<uint32_t> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = static_cast<uint32_t>(i);
  return result;
}

bool among_five(const float* outputs, int classes, int64_t label) {
  int larger = 0;
  for (int c = 0; c < classes; ++c) {
    if (outputs[c] > outputs[label] || (outputs[c] == outputs[label] && c < label)) ++larger;
  }
  return larger < 5;
}

int best_class(const float* outputs, int classes) {
  return static_cast<int>(std::max_element(outputs, outputs + classes) - outputs);
}

double Evaluation::mean_iou() const {
  double sum = 0;
  int present = 0;
  for (size_t c = 0; c < confusion.size(); ++c) {
    int64_t truth = 0, guessed = 0;
    for (size_t k = 0; k < confusion.size(); ++k) {
      truth += confusion[c][k];
      guessed += confusion[k][c];
    }
    const int64_t both = confusion[c][c], either = truth + guessed - both;
    if (either == 0) continue;  // a class that neither has
    sum += static_cast<double>(both) / static_cast<double>(either);
    ++present;
  }
  return present == 0 ? 0 : 100.0 * sum / present;
}

void judge_item(const float* outputs, int classes, int64_t label, Evaluation& result) {
  result.confusion.resize(static_cast<size_t>(classes),
                          std::vector<int64_t>(static_cast<size_t>(classes)));
  const int best = best_class(outputs, classes);
  ++result.places;
  if (best == label) ++result.right;
  if (among_five(outputs, classes, label)) ++result.among_five;
  ++result.confusion[static_cast<size_t>(label)][static_cast<size_t>(best)];
}

void count_found(const DetectorSettings& detector, const Maps& outputs, const Truth& truth,
                 std::optional<PrecisionCounter>& counter) {
  if (!counter) {
    const int numbers = outputs.c / static_cast<int>(detector.priors.size());
    counter.emplace(numbers - 5);  // a box, the background
  }
  const auto found = found_in(detector, outputs);
  for (size_t i = 0; i < found.size(); ++i) counter->see(found[i], objects_of(truth.boxes[i]));
}

Evaluation evaluate(Model& model, const Objective& objective, const DataSet& data,
                    std::span<const uint32_t> indices, ThreadPool& pool, const OutputHook& each,
                    Observer* observer) {
  constexpr size_t kBatch = 256;
  Evaluation result;
  result.classes = objective.judges_classes();
  // Scores are compared with runs of other weights and teachers.
  const Objective plain = plain_of(objective);
  result.detects = objective.detects();
  std::optional<PrecisionCounter> counter;
  for (size_t first = 0; first < indices.size(); first += kBatch) {
    const auto part = indices.subspan(first, std::min(kBatch, indices.size() - first));
    Recording recording;
    forward(model, data.batch(part, &pool), false, recording, pool);
    const size_t last = model.network.outputs()[0];
    const Maps& outputs = recording.outputs[last];
    const Truth truth = truth_of(plain, data, part);
    const std::vector<int64_t>& labels = truth.labels;
    const ObjectiveLoss loss = objective_loss(plain, outputs, recording.input, truth, pool);
    if (result.detects) count_found(plain.detector, outputs, truth, counter);
    result.loss += loss.overall * static_cast<double>(part.size());
    for (size_t i = 0; i < labels.size(); ++i) {
      judge_item(outputs.values.data() + i * static_cast<size_t>(outputs.c), outputs.c, labels[i],
                 result);
    }
    if (each) each(outputs, recording.tapes[last].sums);
    if (observer != nullptr) observer->see(model, recording, labels);
  }
  if (counter) result.precision = counter->result();
  result.items = static_cast<int64_t>(indices.size());
  if (result.items > 0) result.loss /= static_cast<double>(result.items);
  return result;
}

std::string score_text(const Evaluation& e, TargetKind kind) {
  char line[160];
  if (e.detects) {
    std::snprintf(line, sizeof line, "mAP: %.3f    mAP50: %.3f    Loss: %.6f", e.map().mean,
                  e.map().half, e.loss);
  } else if (!e.classes) {
    std::snprintf(line, sizeof line, "MSE: %.6f    Loss: %.6f", e.loss, e.loss);
  } else if (kind == TargetKind::masks) {
    std::snprintf(line, sizeof line, "Top1: %.3f    mIoU: %.3f    Loss: %.3f", e.top1(),
                  e.mean_iou(), e.loss);
  } else if (e.has_top5()) {
    std::snprintf(line, sizeof line, "Top1: %.3f    Top5: %.3f    Loss: %.3f", e.top1(), e.top5(),
                  e.loss);
  } else {
    std::snprintf(line, sizeof line, "Top1: %.3f    Loss: %.3f", e.top1(), e.loss);
  }
  return line;
}

}  // namespace edgetwin::train
