#include "train/score/threshold_search.h"

#include <algorithm>

#include "train/layers/thresholds.h"
#include "train/network/thresholds.h"

namespace edgetwin::train {
namespace {

constexpr size_t kBatchOfSearch = 256;

// What is watched of a layer, batch by batch.
struct Watched {
  std::vector<BatchHistogram> sums, outputs;
};

// What the operands of a layer were joined to, before or after pooling.
const Maps& joined_values(const LayerSpec& spec, const Tape& tape, const Maps& output) {
  const bool pools_afterwards = spec.pooling != ai8x::Pooling::none && !spec.pool_first;
  if (pools_afterwards) return tape.joined;
  return spec.has_weights() ? tape.input : output;
}

void watch(const NetworkLayer& layer, const Tape& tape, const Maps& output, Watched& watched) {
  if (layer.spec.eltwise != ai8x::Eltwise::none) {
    watched.sums.push_back(histogram_of(joined_values(layer.spec, tape, output).values));
  }
  if (layer.spec.has_weights() && !layer.spec.wide) {
    watched.outputs.push_back(histogram_of(output.values));
  }
}

int logarithm_of(const std::vector<BatchHistogram>& batches, float z_score) {
  if (batches.empty()) return 0;
  return static_cast<int>(activation_threshold(batches, z_score).logarithm);
}

}  // namespace

void start_with_thresholds(Model& model, const DataSet& data, std::span<const uint32_t> indices,
                           float z_score, ThreadPool& pool) {
  model.method = QuantizationMethod::thresholds;
  fold_all(model);
  const size_t layers = model.network.layers.size();
  std::vector<Watched> watched(layers);
  for (size_t first = 0; first < indices.size(); first += kBatchOfSearch) {
    const auto part = indices.subspan(first, std::min(kBatchOfSearch, indices.size() - first));
    Recording recording;
    forward(model, data.batch(part, &pool), false, recording, pool);
    for_items(pool, static_cast<int>(layers), [&](int from, int to) {
      for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
        watch(model.network.layers[i], recording.tapes[i], recording.outputs[i], watched[i]);
      }
    });
  }
  std::vector<ValueThresholds> found;
  for (const Watched& w : watched) {
    found.push_back({logarithm_of(w.sums, z_score), logarithm_of(w.outputs, z_score)});
  }
  apply_thresholds(model, found);
  model.quantized = true;
}

}  // namespace edgetwin::train
