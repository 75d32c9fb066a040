// Tensors that neither narrow nor wide memory holds: rows of them come from the host for each
// strip, or leave to it. Each tile has its own rows in a strip, so that the host sends four runs of
// rows one after the other, and the layout of the output says where each row lies.
#include <algorithm>
#include <limits>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kUnit = 8;  // bytes that a transfer counts in

// Those of the rows that the tensor has.
ComingRows sent_of(const Span& rows, int64_t all, int64_t row_bytes) {
  // One of those that are filled afterwards where it has none of them.
  if (rows.begin >= all) return {{(all - 1) * row_bytes, row_bytes}, 1, 0};
  const Span inside{std::max<int64_t>(rows.begin, 0), std::min(rows.end, all)};
  return {{inside.begin * row_bytes, inside.size() * row_bytes},
          inside.size(),
          inside.begin - rows.begin};
}

}  // namespace

// Whether rows of it can be sent apart: they begin where a transfer can.
bool Lowering::can_come(ValueId id) const {
  const auto s = stores_.find(root(id));
  if (s == stores_.end() || s->second.vector) return false;
  const Map& m = s->second.map;
  const bool words = m.channels <= 4 || m.channels % 4 == 0;
  return words && m.x.size * m.channels % kUnit == 0;
}

bool Lowering::has_large_input() const {
  return std::ranges::any_of(segment_.inputs, [&](ValueId id) {
    const auto s = stores_.find(root(id));
    return s != stores_.end() && !s->second.vector && s->second.map.bytes() > kNarrowBytes;
  });
}

bool Lowering::comes_in_strips(ValueId id) const {
  return std::ranges::any_of(bandings_, [&](const Banding& b) { return has(b.come, root(id)); });
}

bool Lowering::leaves_in_strips(ValueId id) const {
  return std::ranges::any_of(bandings_, [&](const Banding& b) { return has(b.left, id); });
}

// What its operators read of the segment's inputs comes with each strip.
void Lowering::find_coming(Banding& b, int64_t most) const {
  for (size_t k = b.first; k <= b.last; ++k) {
    if (alias_.contains(graph().ops[segment_.ops[k]].outputs[0])) continue;
    for (const StripReading& r : strip_readings(segment_.ops[k])) {
      const ValueId id = root(r.from);
      const bool given = has(segment_.inputs, id) && is_large(id, most);
      if (given && !has(b.come, id)) b.come.push_back(id);
    }
  }
}

// Rows that all strips take or make of each tensor, in one tile.
std::map<ValueId, int64_t> Lowering::rows_of_strips(const Banding& b) const {
  std::map<ValueId, int64_t> all;
  for (int64_t n = 0; n < b.rows; ++n) {
    for (const auto& [id, rows] : strip_rows(b, n)) all[id] += rows.size();
  }
  return all;
}

// Steps of an operator that makes so many rows of its result in each tile.
double Lowering::steps_of(size_t index, int64_t rows) const {
  const Op& op = graph().ops[index];
  const auto made = stores_.find(root(op.outputs[0])), in = stores_.find(root(data_of(op)));
  if (alias_.contains(op.outputs[0]) || made == stores_.end() || in == stores_.end()) return 0;
  const auto layer = source_.layers.find(index);
  const int64_t positions = rows * ceil_div(made->second.map.x.size, kGrid);
  return limits::iteration_steps *
         static_cast<double>(
             positions * iterations_of(op, layer == source_.layers.end() ? nullptr : &layer->second,
                                       in->second.map.channels));
}

// Microseconds of an operator on the host.
double Lowering::host_time_of(size_t index) const {
  const auto elements = static_cast<double>(value(graph().ops[index].outputs[0]).shape.elements());
  const auto layer = source_.layers.find(index);
  if (layer == source_.layers.end()) return elements / limits::host_elements_per_microsecond;
  const BlockShape& s = layer->second.shape;
  const int64_t products = s.kernel_h * s.kernel_w * (s.kind == BlockKind::depthwise ? 1 : s.in);
  return elements / limits::host_elements_per_microsecond +
         elements * static_cast<double>(products) / limits::host_products_per_microsecond;
}

// What the chip needs for the segment with the first cuts of these strips, and the host without it.
HostCost Lowering::cost_by_host(std::vector<Banding> strips) const {
  double in = 0, out = 0, steps = 0;
  std::set<ValueId> come;
  std::set<size_t> inside;
  for (Banding& b : strips) {
    b.next();
    const auto rows = rows_of_strips(b);
    for (const ValueId id : b.come) {
      const Map& m = stores_.at(id).map;
      in += static_cast<double>(kGrid * rows.at(id) * m.x.size * m.channels);
      come.insert(id);
    }
    for (size_t k = b.first; k <= b.last; ++k) {
      const auto made = rows.find(graph().ops[segment_.ops[k]].outputs[0]);
      inside.insert(k);
      if (made == rows.end()) continue;
      steps += steps_of(segment_.ops[k], made->second) +
               static_cast<double>(b.rows) * limits::band_layer_steps;
      in += static_cast<double>(b.rows) * limits::band_layer_code_bytes;
    }
  }
  const auto bytes = [&](ValueId id) { return static_cast<double>(value(id).shape.elements()); };
  for (const ValueId id : segment_.inputs) in += come.contains(root(id)) ? 0 : bytes(id);
  for (const ValueId id : segment_.outputs) out += bytes(id);
  HostCost cost;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    const size_t index = segment_.ops[k];
    const auto made = stores_.find(root(graph().ops[index].outputs[0]));
    if (!inside.contains(k) && made != stores_.end()) {
      steps += steps_of(index, ceil_div(made->second.map.y.size, kGrid));
    }
    cost.host += host_time_of(index);
  }
  cost.chip = in / limits::bytes_in_per_microsecond + out / limits::bytes_out_per_microsecond +
              steps / limits::steps_per_microsecond;
  return cost;
}

// One run of all operators, where tiles cannot have equally many rows of its smallest tensor.
std::vector<Banding> Lowering::uneven_strips() {
  int64_t least = std::numeric_limits<int64_t>::max();
  bool even = true;
  std::optional<Banding> all;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (!has_steps(k)) continue;
    const auto s = stores_.find(graph().ops[segment_.ops[k]].outputs[0]);
    if (s == stores_.end() || s->second.vector) return {};
    least = std::min(least, s->second.map.y.size);
    even = even && s->second.map.y.size % kGrid == 0;
  }
  if (even || least <= (kGrid - 1) * ceil_div(least, kGrid)) return {};
  uneven_ = least;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (!has_steps(k)) continue;
    if (!all && !can_strip(k)) return {};
    if (!all) all = Banding{.first = k, .strips = true, .uneven = least};
    if (k != all->first && !strip_goes_on(*all, k, 0, true)) return {};
    all->last = k;
  }
  if (!all || !keep_of(*all, 0) || !all->parked.empty() || all->left != all->kept) return {};
  find_coming(*all, 0);
  all->in_wide.insert(all->come.begin(), all->come.end());
  all->in_wide.insert(all->left.begin(), all->left.end());
  find_strip_cuts(*all);
  Banding last = *all;
  if (!last.next()) return {};
  for (const auto& [id, rows] : strip_rows(last, last.rows - 1)) {
    const bool comes = has(all->come, id) || makes(*all, id);
    if (!comes || rows.end - height(id) > last_height(id)) return {};
  }
  return {*all};
}

// Rows of an input for one strip.
std::optional<Held> Lowering::take_rows(ValueId id, const Span& rows) {
  Store& s = strip_view(id, {}, rows, nullptr);
  if (!picture_fits(id, s.map, 0)) return std::nullopt;
  s.region = region(s.map.bytes());
  HostRows sent{id, {}};
  const int64_t each = height(id), row_bytes = s.map.x.size * s.map.channels;
  std::vector<ComingRows> parts;
  for (int64_t t = 0; t < kGrid; ++t) {
    const Span own{t * each + rows.begin, t * each + rows.end};
    parts.push_back(sent_of(own, stores_.at(id).map.y.size, row_bytes));
    sent.parts.push_back(parts.back().sent);
  }
  take_picture(id, s, 0, parts);
  steps_.back().sent = static_cast<int>(host_rows_.size());
  host_rows_.push_back(std::move(sent));
  border(s);
  fill_edges(id, s, rows);
  return Held{s.region, rows};
}

// Rows of an output, `first` of them in each tile before these.
void Lowering::leave_rows(ValueId id, const Store& made, int64_t first) {
  std::vector<LeftRows>& parts = left_rows_[id];
  const int64_t offset = parts.empty() ? 0 : parts.back().offset + parts.back().bytes;
  parts.push_back({made.map, first, height(id), offset, map_output_bytes(made.map), left_.size()});
  left_.push_back(id);
  use(made.region);
  emit([&made, name = value(id).name,
        offset](Program& p) { map_output(p, made.map, name, p.output_line(), offset); },
       kOutputLowest, Follows::barrier);
  steps_.back().part = true;
  steps_.back().turn = static_cast<int>(left_.size()) - 1;
}

}  // namespace edgetwin::edgetpu::compiler
