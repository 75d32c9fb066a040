#include <algorithm>
#include <array>

#include "targets/edgetpu/compile/templates/layer_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Which of several ways to say the same: with the levels of one pass that the vendor's compiler
// declares, with neighbouring levels of the output as one, with words and taps of the weights as
// levels of their own, with levels of one row or column, with passes of one output as one level.
struct Words {
  bool extra = true, fuse = true, split = false, keep = false, once = false;
};

Dims input_dims(const LayerSpec& s, const Place& at, bool one, const Words& how) {
  const bool extra = how.extra;
  const Tiling& t = s.tiling;
  const int64_t c = t.inner;
  Dims dims;
  if (t.taps == 1) {
    dims = {{4, c}};
    if (how.split) dims.push_back({4 * c, 1});
    if (extra && one && t.outer() == 1) dims.push_back({4 * c, 1});
    if (extra && t.finished && !one && t.outer() == 1) dims.push_back({at.pixel, 1});
    const Dims positions = fused(at.positions);
    dims.insert(dims.end(), positions.begin(), positions.end());
  } else {
    const Dim kx{s.x.dilation * at.pixel, s.x.kernel}, ky{s.y.dilation * at.row, s.y.kernel};
    if (t.finished) {
      dims = fused({{4, c}, kx});
      dims.push_back(ky);
      if (extra) dims.push_back({4 * c, 1});
    } else {
      dims = {{4, c}};
      const Dims taps = fused({kx, ky});
      dims.insert(dims.end(), taps.begin(), taps.end());
    }
    dims.insert(dims.end(), at.positions.begin(), at.positions.end());
  }
  if (t.outer() > 1) dims.push_back({4 * c, t.outer()});
  if (t.groups > 1 || t.outer() > 1) dims.push_back({0, t.groups});
  return dims;
}

struct Loops {
  std::vector<int64_t> loop;
  unsigned weights = 0, numbers = 0;  // levels whose passes begin with new weights, new numbers
};

Loops loops_of(const Tiling& t, int64_t positions, bool split) {
  Loops l;
  l.loop = split ? std::vector<int64_t>{t.inner, t.taps} : std::vector<int64_t>{t.lines()};
  if (positions > 1) l.loop.push_back(positions);
  l.weights = l.numbers = static_cast<unsigned>(l.loop.size());
  if (t.outer() > 1) {
    l.loop.push_back(t.outer());
    ++l.numbers;
  }
  if (t.groups > 1) l.loop.push_back(t.groups);
  return l;
}

Dims stands_still(const std::vector<int64_t>& loop) {
  Dims dims;
  for (const int64_t n : loop) dims.push_back({0, n});
  return dims;
}

void put_accumulators(TensorSpec& spec, const Tiling& t, const std::vector<int64_t>& loop, bool one,
                      bool once) {
  spec.acc.dims = stands_still(loop);
  if (one && !t.finished && t.one_sum) spec.acc.start = 4 * t.sums_line;
  if (one && once && loop.size() > 1) {
    spec.acc.dims = {{0, t.lines() * t.outer()}, {0, t.groups}};
    spec.acc = spec.acc.switched(1, 4);
    return;
  }
  if (t.finished && !one) {
    spec.acc = spec.acc.switched(1, 4);
  } else if (one) {
    // In the vendor's style only where there are several groups of outputs.
    if (!t.one_sum || t.groups > 1) spec.acc = spec.acc.switched(2, 4);
  } else {
    spec.acc.start = 4 * t.sums_line;
    spec.acc.dims[1].stride = 4;
  }
}

// Lines of other tiles and lines of the scalar core come on different rings.
bool by_scalar_core(const LayerSpec& s) { return s.stream || s.returns; }
TileCounter weights_counter(const LayerSpec& s) {
  return by_scalar_core(s) ? TileCounter::ring_read_a : TileCounter::ring_read_b;
}

Assembly convolution_variant(const LayerSpec& s, int r, int c, const Words& how) {
  const Tiling& t = s.tiling;
  const int64_t w = s.out->x.own(c), h = s.out->y.own(r);
  const bool one = w * h == 1;
  const Place at = place_of(s, r, c, how.keep);
  const Loops loops = loops_of(t, w * h, how.split);
  TensorSpec spec;
  spec.loop = loops.loop;
  spec.in = {.start = at.start, .dims = input_dims(s, at, one, how)};
  const int64_t words = ceil_div(s.outputs, 4);
  const int64_t group = std::min<int64_t>(16, words);
  Dims out{{4, group}};
  const Dims positions = how.fuse ? fused(at.outputs) : at.outputs;
  out.insert(out.end(), positions.begin(), positions.end());
  out.push_back({4 * group, t.groups});
  spec.avdata_level = static_cast<unsigned>(out.size() - 1);
  spec.out = {.start = s.out->own(r, c) + s.out_offset, .dims = out};
  if (t.groups > 1 && words % 16 != 0) {
    spec.out = spec.out.shortened(words % 16, spec.avdata_level, 4 * (16 - words % 16));
    spec.last_lanes = 4 * (words % 16);
  }
  spec.weight = {.start = 4 * t.weight_line, .dims = stands_still(loops.loop)};
  spec.weight.dims[0].stride = 4;
  if (how.split) spec.weight.dims[1].stride = 4 * t.inner;
  spec.parameters_level = (one ? 1U : 2U) + (how.split ? 1U : 0U);
  spec.counts_parameters = true;
  if (t.two) spec.weight = spec.weight.switched(spec.parameters_level, 4 * t.lines());
  put_accumulators(spec, t, loops_of(t, w * h, false).loop, one, how.once);
  spec.kind = t.finished || one ? 0x38 : 0x18;
  spec.role = weighted(loops.numbers, spec.kind == 0x18 ? 2 : one && t.outer() > 1 ? 1 : 0);
  spec.lanes = std::min<int64_t>(64, 4 * words);
  spec.waits = {{weights_counter(s), loops.weights, 1}};
  if (has_lines(s)) spec.waits.push_back({TileCounter::wide_to_scaling, loops.numbers, 1});
  put_zero_lines(spec, s);
  return tensor(spec, s.numbers);
}

// By the law, or in other words that say the same where no public program has its form.
std::optional<Assembly> convolution_tensor(const LayerSpec& s, int r, int c) {
  if (s.out->x.own(c) == 0 || s.out->y.own(r) == 0) return std::nullopt;
  std::optional<Assembly> first;
  using Levels = std::array<bool, 3>;
  for (const auto& [keep, split, once] : {Levels{},
                                          {false, true, false},
                                          {true, false, true},
                                          {true, true, true},
                                          {false, false, true},
                                          {false, true, true}}) {
    for (const bool extra : {true, false}) {
      for (const bool fuse : {true, false}) {
        Assembly a = convolution_variant(s, r, c, {extra, fuse, split, keep, once});
        if (is_known(a)) return a;
        if (!first) first = std::move(a);
      }
    }
  }
  return first;
}

void receive_weights(Program& p, const LayerSpec& s) {
  const Tiling& t = s.tiling;
  Assembly a =
      p.engine(by_scalar_core(s) ? Opcode::ring_receive : Opcode::ring_receive1, s.out->tiles());
  Walk walk{.start = t.weight_line};
  if (t.finished) {
    walk.dims = {{1, t.lines()}, {0, 1}, {0, t.groups}, {0, 1}};
  } else {
    walk.dims = {{1, t.lines()}, {0, t.outer()}, {0, 1}, {0, t.groups}};
  }
  put(a, kSideA, walk.switched(1, t.two ? t.lines() : 0));
  put_header(a, s, t.finished ? 1 : 2);
  put_waits(a, {{TileCounter::parameters, 1, t.two ? -1 : 0, 1, 1}}, true);
  p.add(a);
}

// All that forms depend on: levels, not the numbers of the layer nor where anything begins.
std::vector<int64_t> traits_of(const LayerSpec& s) {
  const Tiling& t = s.tiling;
  const Numbers& n = s.numbers;
  std::vector<int64_t> all = {t.words,
                              t.taps,
                              t.groups,
                              t.inner,
                              t.finished,
                              t.two,
                              t.one_sum,
                              s.outputs,
                              s.in->pixel(),
                              s.out->pixel(),
                              s.out->y.size,
                              s.out->x.size,
                              n.has_scale,
                              n.has_bias,
                              n.has_zero,
                              n.function,
                              n.wide,
                              s.whole,
                              s.whole_columns,
                              s.out->y.everywhere,
                              s.out->x.everywhere};
  for (const Window* w : {&s.y, &s.x}) {
    all.insert(all.end(), {w->kernel, w->stride, w->dilation});
  }
  for (int c = 0; c < kGrid; ++c) {
    all.push_back(s.out->x.total(c));
    if (!s.whole) all.push_back(s.in->x.total(c));
  }
  return all;
}

// Forms have no places: tiles with as many positions, as far apart, have the same.
bool all_known(const LayerSpec& s) {
  std::vector<std::pair<Dims, Dims>> seen;
  for (int t = 0; t < kTiles; ++t) {
    const int r = t / kGrid, c = t % kGrid;
    if (!s.out->has(r, c)) continue;
    Place at = place_of(s, r, c, true);
    std::pair shape{std::move(at.positions), std::move(at.outputs)};
    if (std::ranges::find(seen, shape) != seen.end()) continue;
    const auto a = convolution_tensor(s, r, c);
    if (a && !is_known(*a)) return false;
    seen.push_back(std::move(shape));
  }
  return true;
}

}  // namespace

bool KnownForms::has(const LayerSpec& s) {
  const auto [at, fresh] = known_.try_emplace(traits_of(s));
  if (fresh) at->second = all_known(s);
  return at->second;
}

const Tiling& KnownForms::tiling(LayerSpec s, const Tiling& shape, int64_t top) {
  s.tiling = shape;
  std::vector<int64_t> traits = traits_of(s);
  traits.insert(traits.end(), {shape.depthwise, shape.positions, shape.header, top});
  const auto [at, fresh] = tilings_.try_emplace(std::move(traits));
  Tiling& chosen = at->second;
  if (!fresh) return chosen;
  s.tiling = chosen = tiling_of(shape, top);
  if (chosen.depthwise || !chosen.fits() || has(s)) return chosen;
  for (const Tiling& other : other_tilings(chosen, top)) {
    s.tiling = other;
    if (has(s)) return chosen = other;
  }
  return chosen;
}

void convolution(Program& p, const LayerSpec& s) {
  receive_weights(p, s);
  numbers_of_lines(p, s, weights_counter(s), s.tiling.finished ? 1 : s.tiling.outer(), 2);
  add_by_tiles(
      p, [&](int r, int c) { return convolution_tensor(s, r, c); }, shapes(p, s));
  if (s.returns) return returned(p, s);
  if (s.stream) {
    p.stream(s.stream->offset, s.stream->bytes);
    p.take_stream(s.out->tiles(), s.stream->bytes, s.slots);
    return;
  }
  for (const Piece& piece : s.pieces) {
    Assembly a = p.engine(Opcode::ring_send, 1U << piece.tile);
    put(a, kSideA, {.start = piece.line, .dims = {{1, piece.lines}}});
    a.set("counts.ring_producer", 1).set("second", 1).set("destination", s.out->tiles());
    put_waits(a, {{TileCounter::ring_producer_b, 1, p.ring.b}}, true);
    p.add(a);
    p.ring.b += piece.lines;
  }
}

}  // namespace edgetwin::edgetpu::compiler
