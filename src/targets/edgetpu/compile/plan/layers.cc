#include <algorithm>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

int64_t most_positions(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, m.y.own(t / kGrid) * m.x.own(t % kGrid));
  }
  return most;
}

}  // namespace

Activation activation_of(const Op& op) {
  if (op.kind == OpKind::transpose_conv) return op.as<TransposeConvAttrs>().activation;
  return op.kind == OpKind::fully_connected ? op.as<FullyConnectedAttrs>().activation
                                            : op.as<Conv2DAttrs>().activation;
}

Numbers numbers_of(const ReferenceLayer& l, const Value& in, const Value& out,
                   Activation activation) {
  Numbers n;
  n.multiplier = l.effective_scale(out.quant.scale_of(0), 0);
  n.weight_zero = l.content.zero_points[0];
  n.input_zero = unsigned_zero(in);
  put_limits(n, out, activation);
  n.has_scale = l.shape.has_scale;
  n.has_bias = l.shape.has_bias;
  n.has_zero = l.shape.has_zero;
  return n;
}

ReferenceLayer part_of_outputs(const ReferenceLayer& layer, size_t first, size_t count) {
  ReferenceLayer part = layer;
  const auto outputs = static_cast<size_t>(layer.shape.out);
  const auto cut = [&](auto& all, size_t each) {
    if (all.size() != outputs * each) return;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * each);
    all = {begin, begin + static_cast<std::ptrdiff_t>(count * each)};
  };
  cut(part.content.weights, layer.content.weights.size() / outputs);
  cut(part.content.bias, 1);
  if (layer.content.zero_points.size() > 1) cut(part.content.zero_points, 1);
  if (layer.weight_scales.size() > 1) cut(part.weight_scales, 1);
  part.shape.out = static_cast<int>(count);
  return part;
}

namespace {

Tiling chosen_tiling(const Source& source, const LayerSpec& s, const BlockShape& stored,
                     int64_t positions, int64_t top) {
  Tiling t;
  t.one_sum = source.style == Style::vendor;
  t.depthwise = stored.kind == BlockKind::depthwise;
  t.words = t.depthwise ? 1 : ceil_div(stored.in, 4);
  t.taps = int64_t{stored.kernel_h} * stored.kernel_w;
  t.groups = t.depthwise ? ceil_div(stored.out, 4) : ceil_div(stored.out, kBlockChannels);
  t.positions = std::max(positions, most_positions(*s.out));
  t.header = stored.items();
  return source.forms.tiling(s, t, top);
}

bool known(const Source& source, LayerSpec spec, const Tiling& tiling) {
  if (tiling.depthwise || !tiling.fits()) return tiling.fits();
  spec.tiling = tiling;
  return source.forms.has(spec);
}

std::string template_of(const Tiling& t) {
  if (t.depthwise) return "depthwise";
  return t.finished ? "convolution, outputs in one go" : "convolution, partial sums";
}

}  // namespace

// The input where it is, or all of it in every tile: its region then, else -1.
int Lowering::input_for(LayerSpec& spec, Store& from, const Windows& w) {
  spec.in = &from.map;
  spec.y = w.y;
  spec.x = w.x;
  if (from.brought || handed(from, w)) {
    use(from.region);
    return -1;
  }
  const int64_t rows =
      std::max(w.y.stride * (w.y.outputs - 1) + w.y.reach(), w.y.front + from.map.y.size);
  const int64_t columns =
      std::max(w.x.stride * (w.x.outputs - 1) + w.x.reach(), w.x.front + from.map.x.size);
  const int whole =
      gathered(from, {.top = w.y.front, .left = w.x.front, .rows = rows, .columns = columns});
  use(whole);
  spec.whole = true;
  spec.whole_columns = columns;
  return whole;
}

bool Lowering::window_layer(size_t index) {
  const Op& op = graph().ops[index];
  const ReferenceLayer& layer = reference(index);
  const Reading reading = reading_of(op, layer.shape.kernel_h, layer.shape.kernel_w);
  const Value& in = value(reading.from);
  const Value& out = value(op.outputs[0]);
  Store& from = store(reading.from);
  if (in_first_tile(op) && !store(op.outputs[0]).vector) return first_tile_layer(index);
  if (!is_map(out)) return dense_layer(index, &reading.windows);
  if (from.vector || !is_map(in) || in.shape[3] != from.map.channels ||
      in.shape[1] != from.map.y.size) {
    return refuse(Rule::shape, "its input is a vector that another operator reshaped");
  }
  const Store& part = store(op.outputs[0]);
  Store& to = store(part.whole_of == kAbsent ? op.outputs[0] : part.whole_of);
  Layer made{index, &layer, reading, 0, {}, 0};
  int whole = -1;
  const auto pieces = pieces_.find(index);
  if (pieces != pieces_.end()) {
    const auto spec = layer_spec(made, from, reading.windows, to, &whole, false);
    planned_.push_back({index, "convolution in pieces of a list", 0, 0});
    return in_pieces(made, *spec, whole, pieces->second);
  }
  const auto spec = layer_spec(made, from, reading.windows, to, &whole);
  spec->out_offset = part.first_channel;
  if (!finish_layer(made, spec, from, to, whole)) return false;
  planned_.push_back({index, template_of(made.tiling), to.map.bytes(), 0});
  if (part.whole_of != kAbsent) return true;
  border(to, made.whole && !made.tiling.depthwise ? Behind::layer : Behind::barrier);
  return true;
}

// With its parameters; in two parts where one has no known form.
bool Lowering::finish_layer(Layer& layer, const std::shared_ptr<LayerSpec>& spec, Store& from,
                            Store& to, int whole) {
  if (!settle_tiling(layer, *spec)) return false;
  if (settle_apart(layer, *spec)) {
    layer.whole = false;
    emit_settled(layer, spec, to, whole);
    return true;
  }
  const int outputs = layer.reference->shape.out;
  layer.whole = outputs <= kBlockChannels || outputs % kBlockChannels == 0 ||
                known(source_, *spec, layer.tiling);
  if (layer.whole) {
    emit_layer(layer, spec, whole);
    return true;
  }
  blocks_.pop_back();
  return in_two_parts(layer, from, to, *spec, whole);
}

// Where public programs have no form for results whose rows or pixels lie apart: they come to a
// tensor of their own first. False: they have it, or that does not help, either.
bool Lowering::settle_apart(Layer& layer, const LayerSpec& spec) {
  const Map& to = *spec.out;
  const bool gaps = to.bordered() || to.channels != spec.outputs;
  if (!gaps || source_.style == Style::vendor || known(source_, spec, layer.tiling)) return false;
  const Map dense = map_of(to.y.size, to.x.size, spec.outputs);
  LayerSpec of_dense = spec;
  of_dense.out = &dense;
  Layer made = layer;
  if (!settle_tiling(made, of_dense)) return false;
  if (!known(source_, of_dense, made.tiling)) {
    blocks_.pop_back();
    return false;
  }
  blocks_.erase(blocks_.end() - 2);  // of the layer as it was
  --made.block;
  layer = std::move(made);
  layer.apart = true;
  return true;
}

// With the parameters that are settled.
void Lowering::emit_settled(const Layer& layer, const std::shared_ptr<LayerSpec>& spec, Store& to,
                            int whole) {
  if (!layer.apart) return emit_layer(layer, spec, whole);
  Store& plain = between(map_of(to.map.y.size, to.map.x.size, spec->outputs), to.zero);
  auto dense = std::make_shared<LayerSpec>(*spec);
  dense->out = &plain.map;
  dense->out_offset = 0;
  emit_layer(layer, dense, whole);
  use(plain.region), use(to.region);
  copy_channels(plain, to, 0, spec->out_offset, copy_numbers());
}

// Whole blocks of 64 outputs, then the rest: where public programs have no form for both at once.
bool Lowering::in_two_parts(const Layer& layer, Store& from, Store& to, const LayerSpec& spec,
                            int whole) {
  const auto outputs = static_cast<size_t>(layer.reference->shape.out);
  const size_t blocks = outputs / kBlockChannels * kBlockChannels;
  for (const auto& [first, count] : {std::pair{size_t{0}, blocks}, {blocks, outputs - blocks}}) {
    const ReferenceLayer part = part_of_outputs(*layer.reference, first, count);
    auto of_part = std::make_shared<LayerSpec>(spec);
    of_part->outputs = part.shape.out;
    of_part->out_offset += static_cast<int64_t>(first);
    of_part->slots = part.shape.slots();
    Layer made = layer;
    made.reference = &part;
    if (!settle_tiling(made, *of_part)) return false;
    use(whole >= 0 ? whole : from.region), use(to.region);
    emit_layer(made, of_part, whole);
  }
  return true;
}

// A matrix of weights for each row: a window of one position.
bool Lowering::rows_layer(size_t index) {
  const Op& op = graph().ops[index];
  const ReferenceLayer& layer = reference(index);
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const bool rows = !from.vector && !to.vector && from.map.channels == layer.shape.in &&
                    from.map.y.size == to.map.y.size && from.map.x.size == to.map.x.size;
  if (!rows) return refuse(Rule::shape, "its rows are no positions of a picture");
  Layer made;
  made.op = index;
  made.reference = &layer;
  made.reading.from = op.inputs[0];
  made.reading.windows = {{to.map.y.size, 1, 1, 0, 1}, {to.map.x.size, 1, 1, 0, 1}};
  int whole = -1;
  const auto spec = layer_spec(made, from, made.reading.windows, to, &whole);
  if (!settle_tiling(made, *spec)) return false;
  planned_.push_back({index, template_of(made.tiling), to.map.bytes(), 0});
  emit_layer(made, spec, whole);
  border(to);
  return true;
}

// All but the parameters. `to` gets its place where it has one.
std::shared_ptr<LayerSpec> Lowering::layer_spec(const Layer& layer, Store& from, const Windows& w,
                                                Store& to, int* whole, bool placed) {
  const Op& op = graph().ops[layer.op];
  auto spec = std::make_shared<LayerSpec>();
  *whole = input_for(*spec, from, w);
  if (placed) place_map(to);
  spec->numbers = numbers_of(*layer.reference, value(layer.reading.from), value(op.outputs[0]),
                             activation_of(op));
  // A layer without any item in its header gets biases of zero.
  BlockShape stored = layer.reference->shape;
  if (stored.items() == 0 || layer.with_bias) {
    stored.has_bias = spec->numbers.has_bias = true;
  }
  spec->outputs = stored.out;
  spec->slots = stored.slots();
  spec->out = &to.map;
  return spec;
}

// How the layer goes through a tile, and its block of parameters.
bool Lowering::settle_tiling(Layer& layer, LayerSpec& spec) {
  BlockShape stored = layer.reference->shape;
  if (stored.items() == 0) stored.has_bias = true;
  spec.returns = returns(stored, source_.style);
  const int64_t top = kWideTop - wide_.kept_lines();
  layer.tiling = chosen_tiling(source_, spec, stored, layer.positions, top);
  if (!stored.has_bias && !known(source_, spec, layer.tiling)) {
    // Biases of zero, if that makes it one that public programs have.
    LayerSpec with = spec;
    BlockShape more = stored;
    more.has_bias = with.numbers.has_bias = true;
    const Tiling tried = chosen_tiling(source_, with, more, layer.positions, top);
    if (known(source_, with, tried)) {
      layer.tiling = tried;
      stored = more;
      layer.with_bias = spec.numbers.has_bias = true;
    }
  }
  if (!layer.tiling.fits()) {
    return refuse(Rule::wide_memory, "buffers of its weights and sums take " +
                                         std::to_string(kWideTop - layer.tiling.lowest_line) +
                                         " of 2080 lines");
  }
  set_order(layer.tiling, stored);
  const float scale = value(graph().ops[layer.op].outputs[0]).quant.scale_of(0);
  layer.block = add_block(*layer.reference, stored, scale, false);
  return true;
}

void Lowering::emit_layer(const Layer& layer, const std::shared_ptr<LayerSpec>& spec, int whole) {
  spec->tiling = layer.tiling;
  // Bands with fewer positions have fewer sums.
  if (source_.style == Style::vendor) spec->tiling.fit(most_positions(*spec->out));
  const Tiling& t = spec->tiling;
  if (source_.style == Style::vendor) tiled_.emplace_back(wide(t.top - t.lowest_line), spec);
  blocks_[layer.block].uses += 1;
  blocks_[layer.block].iterations += t.words * t.taps * t.groups * most_positions(*spec->out);
  emit(
      [this, spec, block = layer.block, whole](Program& p) {
        const Block& b = blocks_[block];
        spec->pieces = b.pieces;
        if (b.streamed) spec->stream = {b.offset, b.size};
        if (whole >= 0) spec->whole_base = at(whole);
        if (spec->tiling.depthwise) {
          depthwise(p, *spec);
        } else {
          convolution(p, *spec);
        }
      },
      source_.style == Style::vendor ? kWideTop : spec->tiling.lowest_line);
  steps_.back().hides = !layer.tiling.depthwise;
  steps_.back().block = layer.block;
}

}  // namespace edgetwin::edgetpu::compiler
