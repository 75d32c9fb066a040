#include <algorithm>

#include "targets/edgetpu/compile/templates/layer_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Assembly depthwise_variant(const LayerSpec& s, int r, int c, bool extra, bool fuse) {
  const Tiling& t = s.tiling;
  const int64_t w = s.out->x.own(c), h = s.out->y.own(r);
  const Place at = place_of(s, r, c);
  const int64_t positions = w * h;
  TensorSpec spec;
  Dims in;
  if (extra) in.push_back({4, 1});
  const Dims taps =
      fused({{s.x.dilation * at.pixel, s.x.kernel}, {s.y.dilation * at.row, s.y.kernel}});
  in.insert(in.end(), taps.begin(), taps.end());
  in.insert(in.end(), at.positions.begin(), at.positions.end());
  in.push_back({4, t.groups});
  spec.in = {.start = at.start, .dims = in};
  Dims out = {{4, 1}};
  const Dims outputs = fuse ? fused(at.outputs) : at.outputs;
  out.insert(out.end(), outputs.begin(), outputs.end());
  out.push_back({4, t.groups});
  spec.out = {.start = s.out->own(r, c), .dims = out};
  spec.avdata_level = static_cast<unsigned>(out.size() - 1);
  spec.loop = {t.taps};
  if (positions > 1) spec.loop.push_back(positions);
  spec.loop.push_back(t.groups);
  const auto level = static_cast<unsigned>(spec.loop.size() - 1);
  for (const int64_t n : spec.loop) spec.acc.dims.push_back({0, n});
  spec.weight = {.start = 4 * t.weight_line, .dims = spec.acc.dims};
  spec.weight.dims[0].stride = 4;
  spec.weight = spec.weight.switched(level, 4 * t.taps);
  spec.acc = spec.acc.switched(std::max(1U, level - 1), 4);
  spec.counts_parameters = true;
  spec.parameters_level = level;
  spec.kind = 0x38;
  spec.lanes = 4;
  spec.role = weighted(level, 0);
  spec.waits = {{TileCounter::ring_read_a, level, 1}};
  if (has_lines(s)) spec.waits.push_back({TileCounter::wide_to_scaling, level, 1});
  put_zero_lines(spec, s);
  return tensor(spec, s.numbers);
}

// As of convolutions: by the law, or in other words.
std::optional<Assembly> depthwise_tensor(const LayerSpec& s, int r, int c) {
  if (s.out->x.own(c) == 0 || s.out->y.own(r) == 0) return std::nullopt;
  std::vector<Assembly> all;
  for (const bool extra : {true, false}) {
    for (const bool fuse : {true, false}) all.push_back(depthwise_variant(s, r, c, extra, fuse));
  }
  return first_known(all);
}

void receive_depthwise(Program& p, const LayerSpec& s) {
  const Tiling& t = s.tiling;
  Assembly a = p.engine(Opcode::ring_receive, s.out->tiles());
  const Walk walk{.start = t.weight_line, .dims = {{1, t.taps}, {0, 1}, {0, t.groups}, {0, 1}}};
  put(a, kSideA, walk.switched(1, t.taps));
  put_header(a, s, 1);
  put_waits(a, {{TileCounter::parameters, 1, -1, 1, 1}}, true);
  p.add(a);
}

}  // namespace

void depthwise(Program& p, const LayerSpec& s) {
  receive_depthwise(p, s);
  numbers_of_lines(p, s, TileCounter::ring_read_a, 1, 2);
  add_by_tiles(
      p, [&](int r, int c) { return depthwise_tensor(s, r, c); }, shapes(p, s));
  returned(p, s);
}

}  // namespace edgetwin::edgetpu::compiler
