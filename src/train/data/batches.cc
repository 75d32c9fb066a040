#include "train/data/data.h"

namespace edgetwin::train {

namespace {

// Bytes in the order (channels, rows, columns) as values with the channels last.
void to_grid(const uint8_t* in, size_t places, size_t depth, float* out) {
  for (size_t c = 0; c < depth; ++c) {
    for (size_t p = 0; p < places; ++p) {
      out[p * depth + c] = static_cast<float>(in[c * places + p] - 128) / 128.0F;
    }
  }
}

}  // namespace

Maps DataSet::batch(std::span<const uint32_t> indices) const {
  return augmented(indices, {}, 0, 0);
}

Maps DataSet::augmented(std::span<const uint32_t> indices, std::span<const Augmentation> steps,
                        uint64_t seed, int epoch) const {
  Maps maps(static_cast<int>(indices.size()), height, width, channels);
  const size_t places = static_cast<size_t>(height) * static_cast<size_t>(width);
  const auto depth = static_cast<size_t>(channels);
  for (size_t i = 0; i < indices.size(); ++i) {
    const uint8_t* in = bytes.data() + indices[i] * item_size();
    float* out = maps.values.data() + i * item_size();
    if (steps.empty()) {
      to_grid(in, places, depth, out);
      continue;
    }
    std::vector<uint8_t> copy(in, in + item_size());
    augment(copy, {channels, height, width}, steps, seed, epoch, indices[i]);
    to_grid(copy.data(), places, depth, out);
  }
  return maps;
}

std::vector<int64_t> DataSet::batch_labels(std::span<const uint32_t> indices) const {
  std::vector<int64_t> result;
  for (const uint32_t i : indices) result.push_back(labels[i]);
  return result;
}

}  // namespace edgetwin::train
