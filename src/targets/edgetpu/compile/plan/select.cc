// Layers whose parameters no operator of the network has: channels that are picked by a matrix of
// zeros and ones, and channels times a number of their own.
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Window every_position(int64_t n) { return {n, 1, 1, 0, 1}; }

}  // namespace

Store& Lowering::between(const Map& map, int zero) {
  Store s;
  s.map = map;
  s.zero = zero;
  s.region = region(map.bytes());
  return band_stores_.emplace_back(std::move(s));
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

}  // namespace edgetwin::edgetpu::compiler
