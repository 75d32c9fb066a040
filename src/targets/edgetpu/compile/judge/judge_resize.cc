// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
#include "numerics/nearest.h"
#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/place/map.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Positions of RESIZE along one axis that lie on positions of the input: the first, and the step.
struct Picked {
  int64_t begin = 0, step = 1;
};

std::optional<Picked> picked_along(int64_t in, int64_t out, const Op& op) {
  const auto& a = op.as<ResizeAttrs>();
  if (out == in) return Picked{};
  if (out > in) return std::nullopt;
  if (a.align_corners && out > 1) {
    if ((in - 1) % (out - 1) != 0) return std::nullopt;
    return Picked{0, (in - 1) / (out - 1)};
  }
  if (in % out != 0) return std::nullopt;
  const int64_t step = in / out;
  if (!a.half_pixel_centers) return Picked{0, step};
  const bool between = op.kind == OpKind::resize_bilinear && step % 2 == 0;
  return between ? std::nullopt : std::optional(Picked{step / 2, step});
}

// Each tile's part comes of its own and its neighbours'.
bool by_neighbours(int64_t size, const Stretch& s) {
  Axis axis(size);
  axis.widen(s);
  return axis.by_neighbours();
}

Answer check_mixed(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const std::string makes = "it makes " + to_string(out.shape) + " of " + to_string(in.shape);
  const bool larger = !in.is_constant() && is_map(in) && is_map(out) &&
                      in.shape[3] == out.shape[3] && out.shape[1] >= in.shape[1] &&
                      out.shape[2] >= in.shape[2];
  if (!larger || in.shape[1] < kGrid || in.shape[2] < kGrid) {
    return no(
        Rule::shape, index,
        makes +
            "; pictures of at least 4 x 4 get a larger size, or a smaller one whose positions "
            "lie on theirs, those of one position any");
  }
  const auto& a = op.as<ResizeAttrs>();
  if ((a.align_corners && a.half_pixel_centers) || !same_numbers(in, out)) {
    return no(Rule::attributes, index,
              "it aligns corners and middles, or has another scale than its input");
  }
  const auto s = stretches_of(g, op);
  if (!s) {
    return no(Rule::shape, index,
              makes + "; the chip counts in 1/128 of a position, where " +
                  (a.align_corners ? "corners are aligned 4 to 7 or 33 to 65 can be"
                                   : "2, 4 or 8 times the size can be"));
  }
  if (!by_neighbours(in.shape[1], s->y) || !by_neighbours(in.shape[2], s->x)) {
    return no(Rule::shape, index, makes + "; a tile would need more than its neighbours have");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cut> picked_positions(const Graph& g, const Op& op) {
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<ResizeAttrs>();
  const bool smaller = is_map(in) && is_map(out) && in.shape[3] == out.shape[3] &&
                       (out.shape[1] < in.shape[1] || out.shape[2] < in.shape[2]);
  if (!smaller || (a.align_corners && a.half_pixel_centers)) return std::nullopt;
  const auto y = picked_along(in.shape[1], out.shape[1], op);
  const auto x = picked_along(in.shape[2], out.shape[2], op);
  if (!y || !x) return std::nullopt;
  Cut cut;
  cut.begin = {0, y->begin, x->begin, 0};
  cut.size = {1, out.shape[1], out.shape[2], out.shape[3]};
  cut.step = {1, y->step, x->step, 1};
  return cut;
}

Answer check_resize(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const bool one = is_vector(in) && is_map(out) && in.shape.rank() == 4 && !in.is_constant();
  const bool repeated = one && in.shape[3] == out.shape[3];
  if (repeated || (!in.is_constant() && picked_positions(g, op))) {
    if (same_numbers(in, out)) return std::nullopt;
    return no(Rule::attributes, index, "it has another scale than its input");
  }
  if (op.kind == OpKind::resize_bilinear) return check_mixed(g, index);
  if (in.is_constant() || !is_map(in) || !is_map(out) || in.shape[3] != out.shape[3]) {
    return no(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  if (!same_numbers(in, out)) {
    return no(Rule::attributes, index, "it has another scale than its input");
  }
  return std::nullopt;
}

NearestPlaces nearest_places(const Graph& g, const Op& op) {
  const Shape& in = g.value(op.inputs[0]).shape;
  const Shape& out = g.value(op.outputs[0]).shape;
  const auto& a = op.as<ResizeAttrs>();
  const auto along = [&](int axis) {
    return numerics::nearest_sources({in[axis], out[axis], a.align_corners, a.half_pixel_centers});
  };
  return {along(1), along(2)};
}

}  // namespace edgetwin::edgetpu::compiler
