#include <algorithm>

#include "image/image.h"
#include "train/losses/losses.h"
#include "train/report/page.h"

namespace edgetwin::train {
namespace {

// Grey of the first channel, or the three channels as colours.
Bytes picture_of(const DataSet& d, uint32_t item) {
  if (d.height < 2 || d.width < 2) return {};
  const int channels = d.channels == 3 ? 3 : 1;
  Result<Tensor> made = Tensor::zeros(DType::uint8, {d.height, d.width, channels});
  if (!made) return {};
  const auto places = static_cast<size_t>(d.height) * static_cast<size_t>(d.width);
  const uint8_t* in = d.bytes.data() + item * d.item_size();
  auto out = made->as<uint8_t>();
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    for (size_t p = 0; p < places; ++p) {
      out[p * static_cast<size_t>(channels) + c] = in[c * places + p];
    }
  }
  Result<Bytes> png = encode_png(*made);
  return png ? *png : Bytes();
}

constexpr double kShownScore = 0.3;  // of what is found: all of it would hide the picture

void add_boxes(const DetectorSettings& detector, const Maps& outputs, const ItemBoxes& truth,
               const std::vector<std::string>& classes, WorstItem& item) {
  for (size_t o = 0; o < truth.labels.size(); ++o) {
    item.boxes.push_back({truth.corners[o], false, classes[static_cast<size_t>(truth.labels[o])]});
  }
  const std::vector<std::vector<Detection>> found = found_in(detector, outputs);
  for (const Detection& d : found[0]) {
    if (d.score < kShownScore) break;  // the best first
    item.boxes.push_back({d.box, true, classes[static_cast<size_t>(d.label - 1)]});
  }
}

// Those with the largest loss, with what is true and what is found.
std::vector<WorstItem> worst_pictures(Model& model, const Objective& objective, const Data& data,
                                      size_t count, ThreadPool& pool) {
  const DataSet& test = data.test;
  std::vector<WorstItem> all;
  const auto outputs_of = [&](uint32_t item) {
    Recording recording;
    forward(model, test.batch(std::span(&item, 1)), false, recording, pool);
    return std::move(recording.outputs[model.network.outputs()[0]]);
  };
  for (uint32_t item = 0; item < test.items(); ++item) {
    const Maps outputs = outputs_of(item);
    const Truth truth = truth_of(objective, test, std::span(&item, 1));
    const ObjectiveLoss loss = objective_loss(objective, outputs, Maps(), truth, pool);
    all.push_back(
        {.item = item, .loss = loss.overall, .truth = {}, .predicted = {}, .picture = {}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const WorstItem& a, const WorstItem& b) { return a.loss > b.loss; });
  if (all.size() > count) all.resize(count);
  for (WorstItem& w : all) {
    w.picture = picture_of(test, w.item);
    add_boxes(objective.detector, outputs_of(w.item), test.boxes[w.item], data.classes, w);
  }
  return all;
}

}  // namespace

std::vector<WorstItem> worst_of_outputs(const DataSet& data,
                                        const std::vector<std::string>& classes,
                                        std::span<const uint32_t> items,
                                        std::span<const float> outputs, size_t count) {
  struct Scored {
    double loss;
    uint32_t item;
    int predicted;
  };
  std::vector<Scored> all;
  const size_t each = items.empty() ? 0 : outputs.size() / items.size();
  for (size_t i = 0; i < items.size(); ++i) {
    const float* own = outputs.data() + i * each;
    const int size = static_cast<int>(each);
    const double loss = log_sum_exp(own, size) - static_cast<double>(own[data.labels[items[i]]]);
    all.push_back({loss, items[i], best_class(own, size)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.loss > b.loss; });
  if (all.size() > count) all.resize(count);
  std::vector<WorstItem> worst;
  for (const Scored& s : all) {
    worst.push_back({s.item, s.loss, classes[static_cast<size_t>(data.labels[s.item])],
                     classes[static_cast<size_t>(s.predicted)], picture_of(data, s.item)});
  }
  return worst;
}

std::vector<WorstItem> worst_items(Model& model, const Objective& objective, const Data& data,
                                   std::span<const float> outputs, size_t count, ThreadPool& pool) {
  if (objective.detects()) return worst_pictures(model, objective, data, count, pool);
  if (data.test.kind != TargetKind::classes) return {};
  return worst_of_outputs(data.test, data.classes, all_indices(data.test.items()), outputs, count);
}

}  // namespace edgetwin::train
