// Convolutions of one position over small pictures, as the vendor's compiler has them.
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

// In the vendor's style a convolution of one position over a picture of which each tile has one at
// most is made in tile 0, which all of the picture is brought to. Source: specification
// "heads" 6.5.
bool Lowering::in_first_tile(const Op& op) const {
  if (source_.style != Style::vendor || op.kind != OpKind::conv_2d) return false;
  const Value &in = value(op.inputs[0]), &out = value(op.outputs[0]);
  const bool small = is_map(in) && in.shape[1] <= kGrid && in.shape[2] <= kGrid;
  if (!small || in.shape[3] % 4 != 0 || out.shape.rank() != 4) return false;
  return out.shape[1] * out.shape[2] == 1 && !alias_.contains(op.inputs[0]) &&
         in.shape.elements() * out.shape[3] <= kMostOverPicture && only_maker(op.inputs[0]);
}

// Room for that in the picture's place, and the taps that lie in it.
void Lowering::widen_for_first_tile(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  const ReferenceLayer& layer = reference(index);
  if (from.vector || store(op.outputs[0]).vector) return;
  const Reading reading = reading_of(op, layer.shape.kernel_h, layer.shape.kernel_w);
  auto over = over_picture(layer, reading.windows, from.map);
  if (!over) return;
  parted_.insert_or_assign(index, std::move(*over));
  from.map.y.back[0] = from.map.y.size - from.map.y.own(0);
  from.map.x.back[0] = from.map.x.size - from.map.x.own(0);
  from.brought = true;
}

// When it is made, in place of a border. Lines of a convolution that made it lie around those that
// it takes: above its partial sums.
void Lowering::bring(Store& s) {
  use(s.region);
  std::optional<size_t> lines;
  if (graph().ops[now_].kind == OpKind::conv_2d && !tiled_.empty()) {
    auto& [which, spec] = tiled_.back();
    Tiling& t = spec->tiling;
    if (t.sums_line == t.lowest_line) {
      t.sums_line -= kTransferLines, t.lowest_line -= kTransferLines;
      wide_.grow(which, kTransferLines);
      wide_.keep(which, step());
      lines = which;
    }
  }
  emit(
      [this, &s, lines](Program& p) {
        if (lines) p.set_lowered(kWideTop - kTransferLines - wide_.line(*lines) - 1);
        p.settle();
        bring_to_first(p, s.map);
        p.epoch();
      },
      lines ? kWideTop : kTransferLowest, lines ? Follows::layer : Follows::barrier);
  steps_.back().border = true;
}

bool Lowering::first_tile_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store &from = store(op.inputs[0]), &to = store(op.outputs[0]);
  if (!from.brought) return not_a_picture();
  use(from.region);
  const Windows w{{.outputs = 1, .kernel = from.map.y.size},
                  {.outputs = 1, .kernel = from.map.x.size}};
  Layer made{index, &reference(index), {op.inputs[0], w}, 0, {}, 0};
  int whole = -1;
  const auto spec = layer_spec(made, from, w, to, &whole);
  if (!finish_layer(made, spec, from, to, whole)) return false;
  planned_.push_back({index, "convolution of one position", to.map.bytes(), 0});
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
