#include "targets/edgetpu/decompile/operands/row_filler.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/channel_words.h"

namespace edgetwin::edgetpu {
namespace {

template <class Values>
void keep_rows(Values& values, size_t outs, int channels) {
  if (values.size() < outs) return;  // one for all
  const size_t per = values.size() / outs;
  const auto padded = static_cast<size_t>(round4(channels));
  Values kept;
  for (size_t i = 0; i < outs * per; ++i) {
    if (i / per % padded < static_cast<size_t>(channels)) kept.push_back(values[i]);
  }
  values = std::move(kept);
}

}  // namespace

bool has_row_filler(const DecompiledLayer& layer, int channels) {
  const BlockContent& c = layer.content;
  const auto outs = static_cast<size_t>(layer.shape.out);
  const size_t per = c.weights.size() / outs;
  const auto padded = static_cast<size_t>(round4(channels));
  for (size_t o = 0; o < outs; ++o) {
    if (o % padded < static_cast<size_t>(channels)) continue;
    const auto zero = std::byte{c.zero_points[c.zero_points.size() > 1 ? o : 0]};
    const auto first = c.weights.begin() + static_cast<long>(o * per);
    if (std::any_of(first, first + static_cast<long>(per),
                    [&](std::byte b) { return b != zero; })) {
      return false;
    }
    if (!c.bias.empty() && c.bias[o] != 0) return false;
  }
  return true;
}

void cut_row_filler(DecompiledLayer& layer, int channels) {
  const auto outs = static_cast<size_t>(layer.shape.out);
  const int padded = round4(channels);
  const int rows = (layer.shape.out + padded - 1) / padded;
  keep_rows(layer.content.weights, outs, channels);
  keep_rows(layer.content.bias, outs, channels);
  keep_rows(layer.content.scales, outs, channels);
  if (layer.content.zero_points.size() > 1) keep_rows(layer.content.zero_points, outs, channels);
  layer.shape.out = layer.out.c = rows * channels;
}

}  // namespace edgetwin::edgetpu
