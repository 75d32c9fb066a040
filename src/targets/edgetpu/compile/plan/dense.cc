// Fully connected layers of one row, and convolutions with one output position.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

// Weights that no tile could keep: all tiles compute all outputs while the lines go past.
bool Lowering::wide_dense(size_t index, const ReferenceLayer& layer, int whole, int64_t inputs) {
  const Op& op = graph().ops[index];
  Store& to = store(op.outputs[0]);
  Store from;
  from.vector = true;
  from.map = Map::vector(inputs);
  from.region = whole;
  Store& in = band_stores_.emplace_back(from);
  ReferenceLayer one = layer;
  one.shape.in = static_cast<int>(inputs);
  one.shape.kernel_h = one.shape.kernel_w = 1;
  one.shape.spatial = false;
  auto spec = std::make_shared<LayerSpec>();
  spec->in = &in.map;
  spec->y = spec->x = {1, 1, 1, 0, 1};
  use(whole);
  place_result(to);
  spec->numbers = numbers_of(one, value(op.inputs[0]), value(op.outputs[0]), activation_of(op));
  if (one.shape.items() == 0) spec->numbers.has_bias = true;
  spec->outputs = one.shape.out;
  spec->slots = one.shape.slots();
  spec->out = &to.map;
  Layer made;
  made.op = index;
  made.reference = &one;
  if (!settle_tiling(made, *spec)) return false;
  constexpr int64_t kMostTurns = 16384;  // of a loop
  if (made.tiling.outer() > kMostTurns) {
    return refuse(Rule::attributes,
                  "it has " + std::to_string(inputs) + " inputs, which are taken in " +
                      std::to_string(made.tiling.outer()) + " turns; 16384 can be");
  }
  planned_.push_back({index, "fully connected, lines going past", to.map.bytes(), 0});
  emit_layer(made, spec, -1);
  return true;
}

namespace {

// The same for an input whose pixels are filled up to whole words: real 0 for what is between.
ReferenceLayer by_words(const ReferenceLayer& layer, int64_t channels) {
  ReferenceLayer padded = layer;
  const int64_t words = 4 * ceil_div(channels, 4);
  const auto outputs = static_cast<size_t>(layer.shape.out);
  const size_t inputs = layer.content.weights.size() / outputs;
  padded.content.weights.clear();
  for (size_t k = 0; k < layer.content.weights.size(); ++k) {
    padded.content.weights.push_back(layer.content.weights[k]);
    if ((k + 1) % static_cast<size_t>(channels) != 0) continue;
    const auto& zeros = layer.content.zero_points;
    const auto zero = static_cast<std::byte>(zeros[zeros.size() == 1 ? 0 : k / inputs]);
    padded.content.weights.insert(padded.content.weights.end(),
                                  static_cast<size_t>(words - channels), zero);
  }
  padded.shape.in = static_cast<int>(padded.content.weights.size() / outputs);
  padded.shape.kernel_h = padded.shape.kernel_w = 1;
  return padded;
}

}  // namespace

std::optional<ReferenceLayer> over_picture(const ReferenceLayer& layer, const Windows& w,
                                           const Map& map) {
  const bool deep = layer.shape.kind == BlockKind::depthwise;
  const int64_t inputs = map.channels, outputs = layer.shape.out;
  if (map.y.size * map.x.size * inputs * outputs > kMostOverPicture) return std::nullopt;
  ReferenceLayer made = layer;
  made.shape.kind = BlockKind::dense;
  made.shape.in = static_cast<int>(inputs);
  made.shape.kernel_h = static_cast<int>(map.y.size);
  made.shape.kernel_w = static_cast<int>(map.x.size);
  made.content.weights.clear();
  const auto tap_of = [](int64_t place, const Window& v) {
    const int64_t at = place + v.front;
    const bool inside = at >= 0 && at % v.dilation == 0 && at / v.dilation < v.kernel;
    return inside ? at / v.dilation : -1;
  };
  for (int64_t o = 0; o < outputs; ++o) {
    const auto& zeros = layer.content.zero_points;
    const auto zero = static_cast<std::byte>(zeros[zeros.size() == 1 ? 0 : static_cast<size_t>(o)]);
    for (int64_t r = 0; r < map.y.size; ++r) {
      for (int64_t c = 0; c < map.x.size; ++c) {
        const int64_t y = tap_of(r, w.y), x = tap_of(c, w.x);
        const int64_t tap = (o * w.y.kernel + y) * w.x.kernel + x;
        for (int64_t k = 0; k < inputs; ++k) {
          const bool read = y >= 0 && x >= 0 && (!deep || k == o);
          const int64_t from = deep ? tap : tap * inputs + k;
          made.content.weights.push_back(read ? layer.content.weights[static_cast<size_t>(from)]
                                              : zero);
        }
      }
    }
  }
  return made;
}

// In the vendor's style: an input that fully connected layers alone read, and at most as many
// pieces of it as there are tiles.
bool Lowering::splits(ValueId id) const {
  if (source_.style != Style::vendor || !can_split_vector(stores_.at(id).bytes)) return false;
  const auto given = [&](ValueId out) { return root(out) == root(id); };
  if (std::ranges::any_of(segment_.outputs, given)) return false;
  return std::ranges::all_of(segment_.ops, [&](size_t k) {
    const Op& op = graph().ops[k];
    if (alias_.contains(op.outputs[0])) return true;
    return op.kind == OpKind::fully_connected || std::ranges::none_of(op.inputs, [&](ValueId in) {
             return in != kAbsent && root(in) == root(id);
           });
  });
}

// Tiles that need the input of a layer: in the vendor's style those that have outputs of the layers
// that read it, where nothing else does.
uint32_t Lowering::tiles_of_dense(ValueId input) const {
  int64_t blocks = 0;
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    const bool reads = std::ranges::any_of(
        op.inputs, [&](ValueId in) { return in != kAbsent && root(in) == root(input); });
    if (!reads || alias_.contains(op.outputs[0])) continue;
    const bool layer = op.kind == OpKind::fully_connected || op.kind == OpKind::conv_2d;
    if (!layer) return kAllTiles;
    blocks = std::max(blocks, ceil_div(reference(k).shape.out, int64_t{kBlockChannels}));
  }
  if (source_.style != Style::vendor || blocks >= kTiles) return kAllTiles;
  return (1U << static_cast<uint32_t>(blocks)) - 1U;
}

// Also a convolution with one output position: its window covers all of the map that it reads.
bool Lowering::dense_layer(size_t index, const Windows* window) {
  const Op& op = graph().ops[index];
  const ReferenceLayer* given = &reference(index);
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const auto covers = [&](const Window& w, int64_t size) {
    return w.front == 0 && w.dilation == 1 && w.kernel == size;
  };
  std::optional<ReferenceLayer> over;
  const bool deep = given->shape.kind == BlockKind::depthwise;
  const bool one = from.vector && from.bytes == in.shape.back(0);  // a position that is a vector
  if (window != nullptr && (!from.vector || one) &&
      (deep || !covers(window->y, from.map.y.size) || !covers(window->x, from.map.x.size))) {
    over = over_picture(*given, *window, from.map);
    if (over) given = &*over;
  }
  const ReferenceLayer& layer = *given;
  BlockShape stored = layer.shape;
  stored.spatial = false;
  int64_t inputs = int64_t{stored.in} * stored.kernel_h * stored.kernel_w;
  if (stored.kind == BlockKind::depthwise) {
    return refuse(Rule::attributes,
                  "a depthwise layer with one position is not compiled where its matrix takes more "
                  "than 4 MiB");
  }
  if (inputs != from.bytes) {
    return refuse(Rule::shape, "it takes " + std::to_string(inputs) + " of the " +
                                   std::to_string(from.bytes) + " values of its input");
  }
  ReferenceLayer padded;
  if (!from.vector && from.map.channels % 4 != 0) {
    padded = by_words(layer, from.map.channels);
    stored.in = padded.shape.in;
    stored.kernel_h = stored.kernel_w = 1;
    inputs = stored.in;
  }
  const ReferenceLayer& taken = padded.content.weights.empty() ? layer : padded;
  constexpr int64_t kMostWords = 16384;  // of a loop
  // Lines of a block that its tile keeps: of one among many, which all tiles compute at a time, and
  // of one alone, which has a tile of its own where it has many.
  const bool alone = stored.out <= kBlockChannels;
  const int64_t kept = !alone                           ? limits::dense_lines
                       : source_.style == Style::vendor ? limits::dense_many_lines
                                                        : limits::dense_alone_lines;
  const int whole = whole_vector(from, tiles_of_dense(op.inputs[0]));
  if (ceil_div(inputs, 4) > std::min(kMostWords, kept)) {
    return wide_dense(index, taken, whole, inputs);
  }
  Numbers numbers = numbers_of(layer, in, out, activation_of(op));
  if (stored.items() == 0) stored.has_bias = numbers.has_bias = true;
  stored.order = LineOrder::input_inner;
  const int64_t blocks = ceil_div(stored.out, int64_t{kBlockChannels});
  const bool small = source_.style == Style::vendor && blocks == 1;
  to.blocks = region(small ? stored.out : 64 * ceil_div(blocks, kTiles));
  const size_t block = add_block(taken, stored, out.quant.scale_of(0), true);
  blocks_[block].uses = 1;
  if (alone && ceil_div(inputs, 4) > limits::dense_many_lines) {
    to.first_tile = static_cast<int>(kTiles - 1 - alone_++ % kTiles);
    blocks_[block].pieces[0].tile = to.first_tile;
  }
  planned_.push_back({index, "fully connected", 64 * ceil_div(blocks, kTiles), 0});
  emit(
      [this, block, numbers, inputs, whole, stored, result = to.blocks](Program& p) {
        const Block& b = blocks_[block];
        const std::vector<Piece>& all = b.pieces;
        for (size_t first = 0; first < all.size(); first += kTiles) {
          if (first != 0) p.barrier();
          DenseSpec spec;
          spec.tile = all[0].tile;
          spec.inputs = inputs;
          spec.outputs = stored.out - static_cast<int64_t>(first) * int64_t{kBlockChannels};
          spec.in = at(whole);
          spec.out = at(result) + static_cast<int64_t>(first) / kTiles * 64;
          const size_t end = std::min(all.size(), first + kTiles);
          spec.blocks.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                             all.begin() + static_cast<std::ptrdiff_t>(end));
          spec.items = stored.items();
          spec.numbers = numbers;
          spec.slots = stored.slots();
          if (b.streamed) {
            const int64_t piece = all[0].lines * b.bytes_per_line;
            stream_dense(p, spec, {b.offset + static_cast<int64_t>(first) * piece, piece});
            p.barrier();
          }
          dense(p, spec);
        }
      },
      kWideTop);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
