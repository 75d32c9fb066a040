// What the weights of each layer are like after an epoch: rows of layers.csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/network/model.h"

namespace edgetwin::train {

struct LayerRow {
  int epoch = 0;
  std::string layer;
  int shift = 0;
  double largest = 0;            // magnitude of the weights
  double saturated = 0;          // share of the weights, in percent
  double low = 0, high = 0;      // shares of the outputs at the limits of 8 bits, in percent
  std::vector<int64_t> buckets;  // of the weights, from -largest to largest
};

inline constexpr int kBuckets = 16;

std::vector<LayerRow> layer_rows(const Model& model, int epoch);
std::string layer_rows_text(const std::vector<LayerRow>& rows);
// Lines that are none of these rows are left out: the page alone is made of them.
std::vector<LayerRow> parse_layer_rows(std::string_view text);

}  // namespace edgetwin::train
