// A compiled dense layer of 30 to 13 with the model that it stands for: two small programs of our
// own, one that takes parameters and one that takes an input and gives an output.
#pragma once

#include "graph/graph.h"
#include "targets/edgetpu/params/block.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu {

inline constexpr float kPairInput = 0.5F, kPairOutput = 256.0F;
inline constexpr uint64_t kPairToken = 77;

inline BlockShape pair_shape() {
  BlockShape s{.out = 13, .in = 30};
  s.has_scale = s.has_bias = s.has_zero = true;
  return s;
}

inline float pair_weight_scale(int channel) { return 0.0625F * static_cast<float>(channel + 1); }

// As the chip stores them; `seed` varies the weights.
inline BlockContent pair_content(int seed = 0) {
  BlockContent c;
  for (int64_t i = 0; i < pair_shape().weights(); ++i) {
    c.weights.push_back(static_cast<std::byte>((i * 11 + seed * 7) % 255 + 1));
  }
  c.zero_points.assign(13, 128);
  for (int o = 0; o < 13; ++o) {
    c.scales.push_back((kPairInput * pair_weight_scale(o)) * (1.0F / kPairOutput));
    c.bias.push_back(100 * o - 300 + seed);
  }
  return c;
}

inline Graph pair_graph(int seed = 0) {
  const BlockContent c = pair_content(seed);
  Graph g;
  Value in;
  in.name = "in";
  in.dtype = DType::int8;
  in.shape = Shape{1, 30};
  in.quant = Quant::affine(kPairInput, 3);
  Value weights;
  weights.name = "weights";
  weights.dtype = DType::int8;
  weights.shape = Shape{13, 30};
  weights.quant = Quant::affine(1.0F, 0);
  weights.quant.scale.clear();
  weights.quant.zero_point.assign(13, 0);
  for (int o = 0; o < 13; ++o) weights.quant.scale.push_back(pair_weight_scale(o));
  Bytes stored = c.weights;
  for (std::byte& b : stored) b ^= std::byte{0x80};
  weights.constant = std::make_shared<const Bytes>(std::move(stored));
  Value bias;
  bias.name = "bias";
  bias.dtype = DType::int32;
  bias.shape = Shape{13};
  bias.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(c.bias))));
  Value out = in;
  out.name = "out";
  out.shape = Shape{1, 13};
  out.quant = Quant::affine(kPairOutput, -5);
  g.values = {in, weights, bias, out};
  Op op;
  op.kind = OpKind::fully_connected;
  op.attrs = FullyConnectedAttrs{};
  op.inputs = {0, 1, 2};
  op.outputs = {3};
  g.ops = {op};
  g.inputs = {0};
  g.outputs = {3};
  return g;
}

// Takes `bytes` of parameters.
inline darwinn::Executable caching_program(uint32_t bytes) {
  ProgramBuilder b;
  const size_t first = b.words();
  for (unsigned r = 1; r <= 2; ++r) b.op(ScalarOp::mov, r, 0, 0);
  b.transfer(1, 2, bytes, 2).op(ScalarOp::mov, 5, 0, 0).transfer(5, 5, 0, 4);
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::parameter_caching;
  e.parameter_caching_token = kPairToken;
  e.bitstreams.push_back({b.finish(), {}, {}});
  darwinn::Meta meta;
  meta.base = darwinn::BaseAddress::parameter;
  for (size_t i = 0; i < 2; ++i) {
    meta.position = i == 0 ? darwinn::Position::low : darwinn::Position::high;
    e.bitstreams[0].field_offsets.push_back(
        {meta, static_cast<int32_t>((first + i) * kWordBits + 70)});
  }
  e.dma_hints.emplace();
  e.dma_hints->fully_deterministic = true;
  darwinn::DmaHint h;
  h.kind = darwinn::HintKind::instruction;
  e.dma_hints->hints.push_back(h);
  h = {};
  h.kind = darwinn::HintKind::descriptor;
  h.meta.base = darwinn::BaseAddress::parameter;
  h.size = static_cast<int32_t>(bytes);
  e.dma_hints->hints.push_back(h);
  h = {};
  h.kind = darwinn::HintKind::interrupt;
  e.dma_hints->hints.push_back(h);
  return e;
}

inline darwinn::File pair_file(int seed = 0, uint64_t token = kPairToken) {
  const Bytes parameters = write_block(pair_shape(), pair_content(seed));
  darwinn::Executable run = echo();
  run.type = darwinn::ExecutableType::execution_only;
  for (auto* layers : {&run.inputs, &run.outputs}) {
    (*layers)[0].data_type = darwinn::DataType::signed8;
    const bool input = layers == &run.inputs;
    (*layers)[0].numerics =
        darwinn::Numerics{input ? 131 : 123, input ? kPairInput : kPairOutput, {}, {}};
  }
  darwinn::Executable load = caching_program(static_cast<uint32_t>(parameters.size()));
  load.parameters = parameters;
  run.parameter_caching_token = load.parameter_caching_token = token;
  darwinn::File file = file_of(std::move(run));
  file.ops[0].packages[0].executables.push_back(std::move(load));
  return file;
}

}  // namespace edgetwin::edgetpu
