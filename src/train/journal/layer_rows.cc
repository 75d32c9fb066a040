#include "train/journal/layer_rows.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

constexpr size_t kFirst = 7;  // the first bucket
constexpr size_t kFields = kFirst + kBuckets;

template <class T>
bool read_field(std::string_view text, T& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

LayerRow row_of_layer(const Model& model, size_t i, int epoch) {
  const LayerParameters& p = model.parameters[i];
  const WeightScale scale = weight_scale(p.weights, p.bias, model.quantization[i]);
  const int limit = 1 << (scale.bits - 1);
  const double unit = std::ldexp(static_cast<double>(limit), -scale.shift);
  const int shift = chip_shift(scale, model.quantization[i]);
  LayerRow row{epoch, model.network.layers[i].name, shift, 0, 0, 0, 0, {}};
  int64_t saturated = 0;
  for (const float w : p.weights) {
    row.largest = std::max(row.largest, std::abs(static_cast<double>(w)));
    const double rounded = std::floor(static_cast<double>(w) * unit + 0.5);
    saturated += rounded > limit - 1 || rounded < -limit ? 1 : 0;
  }
  row.saturated = 100.0 * static_cast<double>(saturated) / static_cast<double>(p.weights.size());
  row.buckets.assign(kBuckets, 0);
  for (const float w : p.weights) {
    if (row.largest == 0) break;
    const double place = (static_cast<double>(w) / row.largest + 1) / 2 * kBuckets;
    if (!std::isfinite(place)) continue;  // where training went astray
    ++row.buckets[static_cast<size_t>(std::clamp(place, 0.0, kBuckets - 1.0))];
  }
  return row;
}

}  // namespace

std::vector<LayerRow> layer_rows(const Model& model, int epoch) {
  std::vector<LayerRow> rows;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    if (!model.parameters[i].weights.empty()) rows.push_back(row_of_layer(model, i, epoch));
  }
  return rows;
}

std::string layer_rows_text(const std::vector<LayerRow>& rows) {
  std::string text = "epoch,layer,shift,largest,saturated,clamped_low,clamped_high";
  for (int b = 0; b < kBuckets; ++b) text += ",bucket" + std::to_string(b);
  text += "\n";
  for (const LayerRow& r : rows) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, ",%d,%.9g,%.9g,%.9g,%.9g", r.shift, r.largest,
                  r.saturated, r.low, r.high);
    text += std::to_string(r.epoch) + "," + r.layer + numbers;
    for (const int64_t n : r.buckets) text += "," + std::to_string(n);
    text += "\n";
  }
  return text;
}

std::vector<LayerRow> parse_layer_rows(std::string_view text) {
  std::vector<LayerRow> rows;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::vector<std::string_view> cells;
    for (size_t at = 0; at != std::string_view::npos;) {
      at = line.find(',');
      cells.push_back(line.substr(0, at));
      if (at != std::string_view::npos) line.remove_prefix(at + 1);
    }
    LayerRow row;
    if (cells.size() != kFields || !read_field(cells[0], row.epoch)) continue;
    row.layer = cells[1];
    row.buckets.assign(kBuckets, 0);
    bool all = read_field(cells[2], row.shift) && read_field(cells[3], row.largest) &&
               read_field(cells[4], row.saturated) && read_field(cells[5], row.low) &&
               read_field(cells[6], row.high);
    for (size_t b = 0; b < kBuckets; ++b)
      all = read_field(cells[kFirst + b], row.buckets[b]) && all;
    if (all) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace edgetwin::train
