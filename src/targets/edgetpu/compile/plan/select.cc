// Layers whose parameters no operator of the network has: channels that are picked by a matrix of
// zeros and ones, channels times a number of their own, and heads of detectors, whose channels
// become positions of a list.
#include <algorithm>
#include <utility>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Window every_position(int64_t n) { return {n, 1, 1, 0, 1}; }

// A layer whose every `part` outputs are followed by outputs that fill up a word: weights of real
// 0, which nothing reads.
ReferenceLayer filled_up(const ReferenceLayer& layer, int64_t part) {
  const auto n = static_cast<size_t>(part), filled = static_cast<size_t>(4 * ceil_div(part, 4));
  const auto outputs = static_cast<size_t>(layer.shape.out);
  ReferenceLayer made = layer;
  made.shape.out = static_cast<int>(outputs / n * filled);
  const auto fill_up = [&](auto& all, size_t each, auto with) {
    if (all.size() != outputs * each) return;
    auto from = std::exchange(all, {});
    for (size_t k = 0; k < outputs; k += n) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * each);
      all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(n * each));
      all.resize(all.size() + (filled - n) * each, with);
    }
  };
  BlockContent& c = made.content;
  fill_up(c.weights, c.weights.size() / outputs, static_cast<std::byte>(c.zero_points[0]));
  fill_up(c.bias, 1, int32_t{0});
  if (c.zero_points.size() > 1) fill_up(c.zero_points, 1, c.zero_points[0]);
  if (made.weight_scales.size() > 1) fill_up(made.weight_scales, 1, made.weight_scales[0]);
  return made;
}

}  // namespace

bool of_single_bytes(const Op& op) {
  return op.kind == OpKind::relu || op.kind == OpKind::relu6 || op.kind == OpKind::relu_n1_to_1 ||
         op.kind == OpKind::logistic || op.kind == OpKind::tanh || op.kind == OpKind::quantize;
}

Store& Lowering::between(const Map& map, int zero) {
  Store s;
  s.map = map;
  s.zero = zero;
  s.region = region(map.bytes());
  return band_stores_.emplace_back(s);
}

void Lowering::use_place(const Store& s) { use(s.vector ? s.whole : s.region); }

bool Lowering::made_layer(size_t index, ReferenceLayer& reference, const Numbers& numbers,
                          Store& from, Store& to, int64_t out_offset) {
  reference.shape.spatial = from.map.y.size * from.map.x.size > 1;
  reference.shape.has_bias = true;
  auto spec = std::make_shared<LayerSpec>();
  spec->in = &from.map;
  spec->y = every_position(from.map.y.size);
  spec->x = every_position(from.map.x.size);
  spec->out = &to.map;
  spec->outputs = reference.shape.out;
  spec->out_offset = out_offset;
  spec->slots = reference.shape.slots();
  spec->numbers = numbers;
  spec->numbers.has_bias = true;
  use_place(from), use_place(to);
  Layer layer;
  layer.op = index;
  layer.reference = &reference;
  if (!settle_tiling(layer, *spec)) return false;
  emit_layer(layer, spec, -1);
  return true;
}

// Channel k of the result is channel `of[k]` of the input; -1: real 0.
bool Lowering::select(size_t index, Store& from, Store& to, const std::vector<int>& of,
                      const Value& result, int64_t out_offset) {
  const auto inputs = static_cast<size_t>(from.map.channels);
  ReferenceLayer matrix;
  matrix.shape.out = static_cast<int>(of.size());
  matrix.shape.in = static_cast<int>(inputs);
  matrix.content.zero_points = {0};
  matrix.content.weights.resize(of.size() * inputs);
  for (size_t k = 0; k < of.size(); ++k) {
    if (of[k] >= 0) matrix.content.weights[k * inputs + static_cast<size_t>(of[k])] = std::byte{1};
  }
  Numbers numbers;
  numbers.multiplier = 1.0F;
  numbers.input_zero = from.zero;
  put_limits(numbers, result, Activation::none);
  return made_layer(index, matrix, numbers, from, to, out_offset);
}

// Every channel times a byte of its own.
bool Lowering::times_channels(size_t index, Store& from, Store& to, const Value& in,
                              const Value& factors) {
  const Value& out = value(graph().ops[index].outputs[0]);
  ReferenceLayer layer;
  layer.shape.kind = BlockKind::depthwise;
  layer.shape.out = static_cast<int>(from.map.channels);
  layer.content.weights = *factors.constant;
  layer.content.zero_points = {static_cast<uint8_t>(unsigned_zero(factors))};
  if (factors.dtype == DType::int8) {
    for (std::byte& b : layer.content.weights) b ^= std::byte{0x80};
  }
  Numbers numbers;
  numbers.multiplier =
      (in.quant.scale_of(0) * factors.quant.scale_of(0)) * (1.0F / out.quant.scale_of(0));
  numbers.weight_zero = unsigned_zero(factors);
  numbers.input_zero = from.zero;
  put_limits(numbers, out, graph().ops[index].as<BinaryAttrs>().activation);
  return made_layer(index, layer, numbers, from, to, 0);
}

// The place of the operator that makes a tensor which one other operator takes, and nothing else:
// no result of the program.
std::optional<size_t> Lowering::only_maker(ValueId id) const {
  if (std::ranges::find(segment_.outputs, id) != segment_.outputs.end()) return std::nullopt;
  std::optional<size_t> maker;
  size_t readers = 0;
  for (size_t place = 0; place < segment_.ops.size(); ++place) {
    const Op& op = graph().ops[segment_.ops[place]];
    if (op.outputs[0] == id) maker = place;
    readers += static_cast<size_t>(std::ranges::count(op.inputs, id));
  }
  return readers == 1 ? maker : std::nullopt;
}

const ReferenceLayer& Lowering::reference(size_t index) const {
  const auto parted = parted_.find(index);
  return parted != parted_.end() ? parted->second : source_.layers.at(index);
}

// A convolution whose channels become positions gives each of them in whole words.
void Lowering::part_stores() {
  for (const size_t index : segment_.ops) {
    const Op& reshape = graph().ops[index];
    if (!only_reshapes(reshape) || alias_.contains(reshape.outputs[0])) continue;
    const Map& to = store(reshape.outputs[0]).map;
    std::vector<ValueId> chain{reshape.inputs[0]};
    const int64_t channels =
        store(chain[0]).vector ? store(chain[0]).bytes : store(chain[0]).map.channels;
    if (to.channels < 2 || to.channels % 4 == 0 || channels == to.channels ||
        channels % to.channels != 0) {
      continue;
    }
    auto maker = only_maker(chain[0]);
    const auto op_of = [&](size_t place) -> const Op& { return graph().ops[segment_.ops[place]]; };
    while (maker && banding_at(*maker) == nullptr && of_single_bytes(op_of(*maker))) {
      chain.push_back(op_of(*maker).inputs[0]);
      maker = only_maker(chain.back());
    }
    if (!maker || banding_at(*maker) != nullptr) continue;
    const size_t made = segment_.ops[*maker];
    const OpKind kind = graph().ops[made].kind;
    if (kind != OpKind::conv_2d && kind != OpKind::fully_connected) continue;
    const ReferenceLayer& layer = source_.layers.at(made);
    if (layer.shape.kind != BlockKind::dense || layer.shape.out != channels) continue;
    parted_.emplace(made, filled_up(layer, to.channels));
    for (const ValueId id : chain) {
      Store& s = store(id);
      s.part = to.channels;
      s.map.channels = channels / to.channels * to.pixel();
      if (s.vector) s.bytes = s.map.channels;
    }
  }
}

// Where the result of a RESHAPE has its place in a list that only a join of lists makes of it:
// its positions follow each other there, too.
std::optional<JoinPlace> Lowering::place_in_join(size_t index) {
  const ValueId id = graph().ops[index].outputs[0];
  if (!only_maker(id)) return std::nullopt;
  const auto takes = [&](size_t k) {
    return std::ranges::find(graph().ops[k].inputs, id) != graph().ops[k].inputs.end();
  };
  const Op& join = graph().ops[*std::ranges::find_if(segment_.ops, takes)];
  if (join.kind != OpKind::concatenation || store(join.outputs[0]).vector) return std::nullopt;
  const int from_end = axis_from_end(join);
  const bool columns = from_end == 2;
  if (from_end < 2 ||
      (columns && store(join.outputs[0]).map.y.size != 1 && !joins_lists(join, columns))) {
    return std::nullopt;
  }
  JoinPlace place{&join, 0};
  for (const ValueId part : join.inputs) {
    if (part == id) break;
    place.first += store(part).map.y.size * store(part).map.x.size;
  }
  return place;
}

// Positions of `from`, which are those of a RESHAPE that a join takes, with the scale of its list.
void Lowering::to_join(size_t reshape, Store& from, const ReorderSpec& how) {
  const ValueId part = graph().ops[reshape].outputs[0];
  const auto place = place_in_join(reshape);
  const Op& join = *place->join;
  const Value& out = value(join.outputs[0]);
  Store& to = store(join.outputs[0]);
  const Activation activation = join.as<ConcatAttrs>().activation;
  Store* source = &from;
  if (!same_numbers(value(part), out) || activation != Activation::none) {
    source = &between(map_of(from.map.y.size, from.map.x.size, from.map.channels), to.zero);
    use(from.region), use(source->region);
    copy_channels(from, *source, 0, 0, numbers_of_part(part, out, activation));
  }
  place_map(to);
  use(source->region), use(to.region);
  emit(
      [source, &to, how, first = place->first](Program& p) {
        ReorderSpec s = how;
        s.from = &source->map, s.to = &to.map;
        s.first += first;
        reorder(p, s);
      },
      kTransferLowest);
}

// Convolutions whose result is large, and which a RESHAPE alone takes that has its place in a
// joined list.
void Lowering::find_pieces() {
  for (const size_t index : segment_.ops) {
    const Op& reshape = graph().ops[index];
    if (!only_reshapes(reshape) || alias_.contains(reshape.outputs[0])) continue;
    const ValueId id = reshape.inputs[0];
    const Store &from = store(id), &to = store(reshape.outputs[0]);
    const auto maker = only_maker(id);
    if (!maker || banding_at(*maker) != nullptr || from.vector || from.map.bordered()) continue;
    const size_t made = segment_.ops[*maker];
    const int64_t positions = from.map.channels / to.map.pixel();
    if (graph().ops[made].kind != OpKind::conv_2d || positions < 2 ||
        positions * to.map.pixel() != from.map.channels ||
        !(lists_.parts.contains(root(id)) || place_in_join(index)) ||
        reference(made).shape.kind != BlockKind::dense ||
        from.map.bytes() < 2 * limits::piece_bytes) {
      continue;
    }
    int64_t most = std::max<int64_t>(1, limits::piece_bytes / (from.map.bytes() / positions));
    // Pieces of a list that leaves have one size.
    while (lists_.parts.contains(root(id)) && positions % most != 0) --most;
    pieces_[made] = {index, positions, most};
  }
}

// Some positions of each pixel after the other: none of them is there beside the next ones.
bool Lowering::in_pieces(const Layer& layer, const LayerSpec& spec, int whole,
                         const Pieces& pieces) {
  const ValueId list = graph().ops[pieces.reshape].outputs[0];
  const ValueId of = root(graph().ops[pieces.reshape].inputs[0]);
  const int64_t pixel = store(list).map.pixel();
  for (int64_t n = 0; n < pieces.positions; n += pieces.most) {
    const int64_t count = std::min(pieces.most, pieces.positions - n);
    const ReferenceLayer part = part_of_outputs(*layer.reference, static_cast<size_t>(n * pixel),
                                                static_cast<size_t>(count * pixel));
    Store& to =
        between(map_of(spec.out->y.size, spec.out->x.size, count * pixel), store(list).zero);
    auto of_part = std::make_shared<LayerSpec>(spec);
    of_part->out = &to.map;
    of_part->outputs = part.shape.out;
    of_part->slots = part.shape.slots();
    Layer made = layer;
    made.reference = &part;
    if (!settle_tiling(made, *of_part)) return false;
    if (whole >= 0) {
      use(whole);
    } else {
      use(store(layer.reading.from).region);
    }
    use(to.region);
    emit_layer(made, of_part, whole);
    if (const auto left = lists_.parts.find(of); left != lists_.parts.end()) {
      leave_part(left->second, to, n, count, true);
    } else {
      to_join(pieces.reshape, to, {.times = pieces.positions, .begin = n, .count = count});
    }
  }
  store(list).joined = true;
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
