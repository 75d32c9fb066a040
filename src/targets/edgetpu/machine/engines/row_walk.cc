// The loop nest of a tensor instruction as rows: its inner levels, which are the same in every row,
// and the places where rows begin.
#include <algorithm>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {
namespace {

// Whether the last pass of a level is really shorter than the others.
bool has_short_pass(const Generator& g) {
  return g.short_count != 0 && g.short_count != g.path.level[0].count;
}

// The first `size` levels, counted from 0.
Generator inner_levels(const Generator& g, size_t size) {
  Generator inner = g;
  inner.path.start = 0;
  inner.path.size = size;
  inner.switch_level = 0;
  inner.switch_by = 0;
  inner.stream_by = 0;
  if (g.short_level >= size) inner.short_count = 0;
  return inner;
}

// The levels from `size` on.
Generator outer_levels(const Generator& g, size_t size) {
  if (size == 0) return g;
  Generator outer = g;
  outer.path.size = g.path.size - size;
  for (size_t k = 0; k < outer.path.size; ++k) outer.path.level[k] = g.path.level[k + size];
  outer.switch_level = g.switch_level - size;
  outer.short_level = 0;
  outer.short_count = 0;
  return outer;
}

// How many inner levels visit `length` places in each of their passes; nothing: none do, or not
// everywhere, or a buffer is switched on the way.
std::optional<size_t> levels_of(const Generator& g, size_t length) {
  for (size_t size = 0; size <= g.path.size; ++size) {
    const uint64_t count = inner_levels(g, size).count(length);
    if (count < length) continue;
    const bool shorter_elsewhere = size != 0 && has_short_pass(g) && g.short_level >= size;
    if (count != length || shorter_elsewhere) return std::nullopt;
    if (g.streamed() && g.switch_level < size) return std::nullopt;
    return size;
  }
  return std::nullopt;
}

std::vector<int32_t> places_of(const Generator& g) {
  std::vector<int32_t> places;
  unroll(g, [&](int64_t at, uint32_t /*pass*/) { places.push_back(static_cast<int32_t>(at)); });
  return places;
}

// Bytes [first, end) that a generator visits, with both of its buffers.
std::pair<int64_t, int64_t> range_of(const Generator& g, int64_t size) {
  return {g.path.lowest(), g.path.highest() + g.switch_by + size};
}

// Sums that are finished together have as many lanes, one as the other.
bool groups_are_even(const TensorIteration& w) {
  const size_t sums = w.order.sums;
  if (w.outputs.size() % sums != 0) return false;
  for (size_t n = 0; n < w.outputs.size(); ++n) {
    if (w.outputs[n].count != w.outputs[n / sums * sums].count) return false;
  }
  return true;
}

std::vector<size_t> runs_of(const Rows& rows, const TensorIteration& w) {
  std::vector<size_t> ends;
  const size_t count = rows.in.size();
  for (size_t n = 1; n < count; ++n) {
    const bool same = rows.weight[n].at == rows.weight[n - 1].at &&
                      rows.weight[n].pass == rows.weight[n - 1].pass &&
                      rows.in[n].pass == rows.in[n - 1].pass &&
                      w.outputs[n].count == w.outputs[n - 1].count;
    if (!same) ends.push_back(n);
  }
  ends.push_back(count);
  return ends;
}

}  // namespace

std::optional<Rows> rows_of(const TensorIteration& w) {
  const Step& s = w.s;
  if (s.opcode != Opcode::tensor || s.leaves_sums()) return std::nullopt;
  Rows rows;
  rows.length = w.order.inner;
  const auto in = levels_of(s.a, rows.length);
  const auto weight = levels_of(s.weight, rows.length);
  const bool grouped = w.order.sums != 1 || w.order.outer != 1;
  if (!in || !weight || (grouped && !groups_are_even(w))) return std::nullopt;
  rows.in = addresses_of(outer_levels(s.a, *in));
  rows.weight = addresses_of(outer_levels(s.weight, *weight));
  const size_t count = w.iterations / rows.length;
  if (rows.in.size() != count || rows.weight.size() != count) return std::nullopt;
  rows.in_by = places_of(inner_levels(s.a, *in));
  rows.weight_by = places_of(inner_levels(s.weight, *weight));
  const auto [lowest, highest] = std::ranges::minmax(rows.in_by);
  rows.lowest = lowest;
  rows.highest = highest;
  if (w.outputs.size() == count) rows.alike = runs_of(rows, w);
  rows.outputs_together = s.b.path.size != 0 && s.b.path.level[0].net == 4 &&
                          (!s.b.streamed() || s.b.switch_level != 0);
  const auto read = range_of(s.a, int64_t{w.form.input} * w.form.products);
  const auto written = range_of(s.b, 4);
  rows.writes_inputs = read.first < written.second && written.first < read.second;
  return rows;
}

bool within_lanes(const TensorIteration& w, const Rows& rows) {
  const int size = w.form.weight * w.form.products;
  uint32_t bases = 0;  // a bit for each remainder by 4
  for (const Address& a : rows.weight) bases |= 1U << (static_cast<uint32_t>(a.at) % 4);
  uint32_t ways = 0;
  for (const int32_t by : rows.weight_by) ways |= 1U << (static_cast<uint32_t>(by) % 4);
  for (int base = 0; base < 4; ++base) {
    for (int way = 0; way < 4; ++way) {
      const bool visited = ((bases >> base) & 1U) != 0 && ((ways >> way) & 1U) != 0;
      if (visited && (base + way) % 4 + size > 4) return false;
    }
  }
  return true;
}

}  // namespace edgetwin::edgetpu::machine
