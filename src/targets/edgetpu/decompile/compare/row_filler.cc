#include "targets/edgetpu/decompile/compare/row_filler.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kWord = 4;

int64_t padded(int64_t row) { return (row + kWord - 1) / kWord * kWord; }

struct Rows {
  int64_t row = 0;  // real outputs of each
  bool real(size_t o) const { return static_cast<int64_t>(o) % padded(row) < row; }
};

bool is_filler(const NetworkLayer& l, size_t o) {
  const auto outs = static_cast<size_t>(l.out_c);
  const size_t per = l.weights.size() / outs;
  // Between the zero points of input and output: one, or one for each output.
  const size_t zeros = l.zero_points.size() - 2;
  if (zeros != 1 || (!l.bias.empty() && l.bias[o] != 0)) return false;
  const auto first = l.weights.begin() + static_cast<long>(o * per);
  return std::all_of(first, first + static_cast<long>(per),
                     [&](std::byte b) { return static_cast<int>(b) == l.zero_points[1]; });
}

template <class Values>
void keep(Values& values, size_t outs, const Rows& rows) {
  if (values.size() < outs) return;  // one for all
  const size_t per = values.size() / outs;
  Values kept;
  for (size_t i = 0; i < outs * per; ++i) {
    if (rows.real(i / per)) kept.push_back(values[i]);
  }
  values = std::move(kept);
}

// The filler after the last row may be gone already.
bool fits(const NetworkLayer& l, int64_t count, const Rows& rows) {
  const int64_t all = count * padded(rows.row);
  if (l.out_c > all || l.out_c < all - (padded(rows.row) - rows.row)) return false;
  for (size_t o = 0; o < static_cast<size_t>(l.out_c); ++o) {
    if (!rows.real(o) && !is_filler(l, o)) return false;
  }
  return true;
}

}  // namespace

NetworkLayer without_row_filler(const NetworkLayer& layer, int64_t outputs) {
  if (layer.weights.empty() || outputs <= 0 || layer.out_c <= outputs ||
      layer.zero_points.size() < 3 ||
      layer.weights.size() % static_cast<size_t>(layer.out_c) != 0) {
    return layer;
  }
  for (int64_t count = 1; count <= outputs; ++count) {
    const Rows rows{outputs / count};
    if (outputs % count != 0 || !fits(layer, count, rows)) continue;
    NetworkLayer l = layer;
    const auto outs = static_cast<size_t>(layer.out_c);
    keep(l.weights, outs, rows);
    keep(l.bias, outs, rows);
    keep(l.multipliers, outs, rows);
    l.out_c = outputs;
    return l;
  }
  return layer;
}

}  // namespace edgetwin::edgetpu
