// TRANSPOSE_CONV: outputs that have the same taps are those of a convolution, which are put in
// their places.
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Every stride-th tap, the last one first.
ReferenceLayer phase_of(const ReferenceLayer& layer, const TransposeConvAttrs& a,
                        const TransposedPhase& y, const TransposedPhase& x) {
  ReferenceLayer part = layer;
  const auto size = [](int64_t n) { return static_cast<size_t>(n); };
  const size_t inputs = size(layer.shape.in), width = size(layer.shape.kernel_w);
  const size_t height = size(layer.shape.kernel_h);
  part.content.weights.clear();
  for (size_t o = 0; o < size(layer.shape.out); ++o) {
    for (int64_t r = y.window.kernel - 1; r >= 0; --r) {
      for (int64_t c = x.window.kernel - 1; c >= 0; --c) {
        const size_t row = size(y.tap + r * a.stride_h), column = size(x.tap + c * a.stride_w);
        const auto from =
            layer.content.weights.begin() +
            static_cast<std::ptrdiff_t>(((o * height + row) * width + column) * inputs);
        part.content.weights.insert(part.content.weights.end(), from,
                                    from + static_cast<std::ptrdiff_t>(inputs));
      }
    }
  }
  part.shape.kernel_h = static_cast<int>(y.window.kernel);
  part.shape.kernel_w = static_cast<int>(x.window.kernel);
  // As the vendor's compiler has a convolution of one to one channel.
  if (part.shape.in == 1 && part.shape.out == 1) part.shape.kind = BlockKind::depthwise;
  return part;
}

}  // namespace

bool Lowering::transposed_convolution(size_t index) {
  const Op& op = graph().ops[index];
  const ReferenceLayer& layer = source_.layers.at(index);
  const TransposedPhases phases = transposed_phases(graph(), op);
  Store& from = store(data_of(op));
  Store& to = store(op.outputs[0]);
  if (from.vector || to.vector || from.map.channels != layer.shape.in) return not_a_picture();
  place_map(to);
  const auto& a = op.as<TransposeConvAttrs>();
  planned_.push_back({index, "convolutions in turns", to.map.bytes(), 0});
  for (const TransposedPhase& y : phases.y) {
    for (const TransposedPhase& x : phases.x) {
      const ReferenceLayer part = phase_of(layer, a, y, x);
      Windows w{y.window, x.window};
      if (band_windows_) w.y.outputs = from.map.y.size;
      if (!phase_layer(index, part, w, from, to, {y.first, a.stride_h}, {x.first, a.stride_w})) {
        return false;
      }
    }
  }
  border(to);
  return true;
}

bool Lowering::phase_layer(size_t index, const ReferenceLayer& part, const Windows& w, Store& from,
                           Store& to, const Between& y, const Between& x) {
  if (!neighbours(from, w) && (w.y.front < 0 || w.x.front < 0)) {
    return refuse(Rule::shape, "its windows begin inside of a picture that all tiles need");
  }
  Map map;
  map.y = Axis(w.y.outputs);
  map.x = Axis(w.x.outputs);
  map.channels = to.map.channels;
  Store& made = y.step * x.step == 1 ? to : between(map, to.zero);
  Layer one;
  one.op = index;
  one.reference = &part;
  one.reading = {data_of(graph().ops[index]), w};
  int whole = -1;
  if (band_windows_) {  // in strips, which have the parameters of the first one
    const auto [at, fresh] =
        phase_layers_.try_emplace({static_cast<int64_t>(index), y.first, x.first}, one);
    at->second.reference = &part;
    const auto spec = layer_spec(at->second, from, w, made, &whole);
    if (fresh && !settle_known(at->second, *spec)) return false;
    emit_settled(at->second, spec, made, whole);
  } else {
    const auto spec = layer_spec(one, from, w, made, &whole);
    if (!finish_layer(one, spec, from, made, whole)) return false;
  }
  return &made == &to || interleaved(made, to, y, x);
}

}  // namespace edgetwin::edgetpu::compiler
