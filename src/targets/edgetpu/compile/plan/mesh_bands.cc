// Bands as the vendor's compiler has them: rectangles are cut and joined by the mesh, results wait
// in narrow memory, and a picture that the host gives rests in lines of wide memory until its last
// rectangle is cut. Source: specification "bands" 4 and 5.
#include <algorithm>
#include <numeric>

#include "targets/edgetpu/compile/layout/gather.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
// Other operators write lines where a picture may rest.
bool Lowering::can_mesh(const Banding& banding) const {
  return std::ranges::all_of(layers_of(banding), [&](const Layer& l) {
    return l.reference != nullptr || l.other != kAbsent;
  });
}

// One step; counters begin anew before and after each of them.
void Lowering::emit_mesh(std::vector<Moved> all) {
  for (const Moved& m : all) {
    use(m.from->region), use(m.to->region);
    MeshSpec s{&m.from->map, &m.to->map, m.rows, m.from_at, m.to_at};
    s.first = true, s.counted = source_.counts_moves;
    if (!compiler::can_mesh(s)) {
      refuse(Rule::form, "its rectangles would be moved in a form that no public program has");
    }
  }
  keep_matrix();
  const int passing = aside(kPassingBytes), constants = scratch(kMatrixWords);
  emit(
      [this, all = std::move(all), passing, constants](Program& p) {
        for (const Moved& m : all) {
          MeshSpec s{&m.from->map, &m.to->map, m.rows, m.from_at, m.to_at};
          s.counted = source_.counts_moves;
          s.passing = at(passing), s.scratch = at(constants), s.matrix = p.matrix_line();
          s.first = &m == all.data();
          mesh(p, s);
        }
      },
      kWideTop);
  steps_.back().anew = steps_.back().apart = true;
}

// `deep`: below all other lines.
std::optional<size_t> Lowering::save_picture(const Store& picture, bool deep) {
  const int64_t lines = save_lines(picture.map);
  std::optional<size_t> kept;
  if (deep) {
    deep_lines_ = std::max(deep_lines_, lines);
  } else {
    kept = wide(lines);
  }
  use(picture.region);
  emit(
      [this, &picture, kept](Program& p) {
        save(p, {&picture.map, picture_line(kept)});
      },
      kWideTop);
  steps_.back().anew = steps_.back().apart = true;
  return kept;
}

int64_t Lowering::picture_line(std::optional<size_t> kept) const {
  if (kept) return wide_.line(*kept);
  return kWideTop - wide_.used() - deep_lines_;
}

// The picture from its lines.
const Store& Lowering::again(const Store& picture, std::optional<size_t> kept) {
  const Map& m = picture.map;
  Store& made = band_stores_.emplace_back();
  made.map = map_of(m.y.size, m.x.size, m.channels);
  made.zero = made.edge = picture.zero;
  made.region = region(made.map.bytes());
  if (kept) wide_.keep(*kept, step());
  emit([this, &made, kept](Program& p) { restore(p, {&made.map, picture_line(kept)}); }, kWideTop);
  steps_.back().anew = steps_.back().apart = true;
  return made;
}

// Along columns first, then along rows; `twice`: both, even if there is nothing to do.
void Lowering::cut_by_mesh(const Store& whole, const Origin& at, Store& cut, const Span& y,
                           const Span& x, bool twice) {
  const Map& m = whole.map;
  const Store* from = &whole;
  if (twice || (y.size() != m.y.size && x.size() != m.x.size)) {
    Store& between = band_stores_.emplace_back();
    between.map = map_of(m.y.size, x.size(), m.channels);
    between.region = region(between.map.bytes());
    emit_mesh({{&whole, &between, false, at.x, x.begin}});
    from = &between;
  }
  cut.region = region(cut.map.bytes());
  const bool rows = twice || y.size() != m.y.size;
  emit_mesh({{from, &cut, rows, rows ? at.y : at.x, rows ? y.begin : x.begin}});
}

// What a sum takes from outside of the chain, or from further up in it, in the split of its result,
// which gets the same place.
Store& Lowering::operand(const std::vector<Layer>& layers, const Band& band, size_t k, Store& to) {
  const ValueId id = layers[k].other;
  const Store* from = &store(id);
  Origin at;
  for (size_t n = 0; n < k; ++n) {
    if (root(graph().ops[layers[n].op].outputs[0]) != root(id)) continue;
    from = band.stores[n + 1];
    at = {band.of.y[n + 1].begin, band.of.x[n + 1].begin};
  }
  Store& cut = band_stores_.emplace_back();
  const Span &y = band.of.y[k + 1], &x = band.of.x[k + 1];
  cut.map = map_of(y.size(), x.size(), from->map.channels);
  cut.zero = from->zero;
  cut_by_mesh(*from, at, cut, y, x, true);
  if (cut.map.bytes() == to.map.bytes()) to.region = cut.region;
  return cut;
}

// The results of a row of bands to `to`, which has that row alone.
// `layer`: what that layer takes; as many as there are: the results.
void Lowering::join_by_mesh(const Banding& banding, const std::vector<Band>& all, size_t row,
                            size_t layer, Store& to) {
  std::vector<Moved> moved;
  for (int64_t k = 0; k < banding.columns; ++k) {
    const Band& band = all[row * static_cast<size_t>(banding.columns) + static_cast<size_t>(k)];
    moved.push_back({band.stores[layer], &to, false, band.of.x[layer].begin, 0});
  }
  emit_mesh(std::move(moved));
}

// What lies aside of the chain, when the last band has what it takes.
bool Lowering::go_aside(const Banding& banding, const std::vector<Layer>& layers,
                        const std::vector<Band>& all, size_t layer) {
  for (const size_t place : banding.asides) {
    const size_t index = segment_.ops[place];
    if (root(graph().ops[index].inputs[0]) != root(layers[layer].reading.from)) continue;
    Store& joined = store(layers[layer].reading.from);
    now_ = layers[layer - 1].op;
    joined.region = region(joined.map.bytes());
    join_by_mesh(banding, all, 0, layer, joined);
    border(joined);
    if (!op(index)) return false;
  }
  return true;
}

bool Lowering::read_later(const Banding& banding, ValueId id) const {
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (k <= banding.last) continue;
    const Op& op = graph().ops[segment_.ops[k]];
    if (alias_.contains(op.outputs[0])) continue;
    if (std::ranges::any_of(op.inputs,
                            [&](ValueId in) { return in != kAbsent && root(in) == root(id); })) {
      return true;
    }
  }
  return false;
}

bool Lowering::by_mesh(const Banding& banding, std::vector<Layer>& layers, std::vector<Band>& all) {
  const ValueId given = layers.front().reading.from;
  const Store& whole = store(given);
  Store& result = store(graph().ops[layers.back().op].outputs[0]);
  const bool picture =
      std::ranges::any_of(segment_.inputs, [&](ValueId id) { return root(id) == root(given); });
  now_ = layers.front().op;
  // Of several rows of bands the host sends each row again, and that one alone is kept. Where
  // others read the picture, too, all of it rests below, and lines as many as the row's stay free.
  const bool sends = banding.sends_rows();
  std::optional<size_t> kept, row_lines;
  if (picture && !sends) kept = save_picture(whole, banding.rows > 1);
  const Store* there = &whole;  // the picture, or a row of it
  // Where something after two bands takes their input, too, the second band is the first one, and
  // each rectangle is cut before its band. Else the second one is cut first, and both before the
  // first band.
  const bool two = !picture && all.size() == 2;
  const bool turned = two && read_later(banding, given), both = two && !turned;
  const auto cut = [&](const Store& from, const Band& band) {
    const Origin at{sends ? band.of.y[0].begin : 0, 0};
    cut_by_mesh(from, at, *band.stores[0], band.of.y[0], band.of.x[0], false);
  };
  if (both) cut(whole, all[1]), border(*all[1].stores[0]), cut(whole, all[0]);
  std::vector<std::pair<Store*, int64_t>> rows;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (turned) std::swap(order[0], order[1]);
  for (size_t turn = 0; turn < all.size(); ++turn) {
    const size_t k = order[turn];
    now_ = layers.front().op;
    const Span& rows_of = all[k].of.y[0];
    const bool begins = turn % static_cast<size_t>(banding.columns) == 0;
    if (sends && begins) {
      if (!rows_matrix_ && whole.map.channels % 4 != 0) rows_matrix_ = wide(kByteMatrixLines);
      there = send_row(root(given), rows_of, nullptr);
      if (there == nullptr) return false;
      if (banding.columns > 1) kept = save_picture(*there, false);
    }
    if (picture && !sends && banding.rows > 1 && begins) {
      row_lines = wide(save_lines(map_of(rows_of.size(), whole.map.x.size, whole.map.channels)));
    }
    if (row_lines) wide_.keep(*row_lines, step());
    const bool first = sends ? begins : k == 0;
    if (!both) cut(picture && !first ? again(*there, kept) : *there, all[k]);
    if (!both || k == 0) border(*all[k].stores[0]);
    const bool last = turn + 1 == all.size();
    const auto aside = [&](size_t layer) {
      return !last || layer == 0 || go_aside(banding, layers, all, layer);
    };
    if (!band_layers(layers, all[k], turn == 0, true, aside)) return false;
    const auto columns = static_cast<size_t>(banding.columns);
    if ((turn + 1) % columns != 0) continue;
    Store* row = all[k].stores.back();
    if (banding.columns > 1) {
      row = &result;
      if (banding.rows > 1) {
        row = &band_stores_.emplace_back();
        row->map = map_of(all[k].of.y.back().size(), result.map.x.size, result.map.channels);
      }
      row->region = region(row->map.bytes());
      join_by_mesh(banding, all, turn / columns, layers.size(), *row);
    }
    rows.emplace_back(row, all[k].of.y.back().begin);
  }
  if (banding.rows == 1) return true;
  result.region = region(result.map.bytes());
  std::vector<Moved> moved;
  for (const auto& [row, begin] : rows) moved.push_back({row, &result, true, begin, 0});
  emit_mesh(std::move(moved));
  return true;
}

// In the vendor's style operands whose rows lie apart in other ways are copied to tensors without
// borders before they are summed up.
bool Lowering::copied_for_sum(const Op& op, const Store& a, const Store& b) const {
  if (source_.style != Style::vendor || (op.kind != OpKind::add && op.kind != OpKind::sub)) {
    return false;
  }
  if (std::ranges::any_of(bandings_, &Banding::strips)) return false;
  const Map own = map_of(a.map.y.size, a.map.x.size, a.map.channels);
  const auto can = [&](const Map& m) { return !m.bordered() || compiler::can_mesh({&m, &own}); };
  return can(a.map) && can(b.map);
}

// The sum has the place of the copy, which was made last.
void Lowering::plain_operands(Store*& a, Store*& b, Store& to) {
  if (a->vector || same_borders(a->map, b->map)) return;
  for (Store** s : {&a, &b}) {
    const Map& m = (*s)->map;
    if (!m.bordered()) continue;
    Store& made = between(map_of(m.y.size, m.x.size, m.channels), (*s)->zero);
    emit_mesh({{*s, &made, false, 0, 0}});
    *s = &made;
    if (!to.vector && !to.map.bordered()) to.region = made.region;
  }
}

// The vendor's compiler gathers by the mesh, first along columns: then a row of tiles has all rows
// of its columns, of the channels that its four tiles sum. Its tensors lie beside that. Gives the
// region of the pool's word; -1: there is no room, or some instruction would have a form that no
// public program has.
int Lowering::gather_beside(const Store& from, int whole, int64_t first) {
  if (source_.style != Style::vendor) return -1;
  const int64_t bytes = mesh_gather_bytes(from.map);
  const int64_t gathered = regions_[static_cast<size_t>(whole)].bytes;
  if (from.map.bytes() + gathered + bytes > kNarrowBytes) return -1;
  MeshGatherSpec spec;
  spec.map = &from.map;
  spec.first = first;
  const auto copied = mesh_gather_lines(spec);
  if (!copied) return -1;
  const int columns = region(bytes), passing = aside(kGatherPassing), ones = aside(kGatherOnes);
  // Two lines more than the pool has.
  const int64_t lines = std::max(pool_lines(from.map.y.size, from.map.x.size) + 2, *copied);
  emit_at(wide(lines), [this, spec, whole, columns, passing, ones, lines](Program& p) {
    MeshGatherSpec s = spec;
    s.to = at(whole), s.columns = at(columns), s.passing = at(passing), s.ones = at(ones);
    s.line = p.line(kWideTop - lines);
    gather_by_mesh(p, s);
  });
  return ones;
}

}  // namespace edgetwin::edgetpu::compiler
