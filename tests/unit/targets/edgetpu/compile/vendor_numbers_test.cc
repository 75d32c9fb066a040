// Numbers and lists as the vendor's compiler has them: what is added to channels and what a list is
// multiplied by come from the host at every inference (MoveNet).
#include <cmath>

#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

class NumberNetwork : public RandomNetwork {
 public:
  using RandomNetwork::RandomNetwork;
  // A number with the given byte above its zero point; `same`: the result has the input's numbers.
  ValueId number(OpKind kind, ValueId x, int steps, float scale, bool same = false) {
    Value& in = graph_.value(x);
    in.quant = Quant::affine(0.02F, in.dtype == DType::int8 ? -128 : 0);
    const Quant numbers = in.quant;
    const int byte = in.dtype == DType::int8 ? steps ^ 0x80 : steps;
    const ValueId of = constant({1}, byte_type(), Bytes{static_cast<std::byte>(byte)},
                                Quant::affine(scale, above() - 128));
    const ValueId to = value(shape(x), 0.02F);
    if (same) graph_.value(to).quant = numbers;
    add(kind, BinaryAttrs{}, {x, of}, to);
    return to;
  }
};

struct VendorMade {
  Model model;
  CompiledModel made;
  const CompiledSegment& segment() const { return made.partition.groups.at(0).compiled; }
};

VendorMade made_like_vendor(Graph graph) {
  VendorMade all;
  all.model.format = "tflite";
  all.model.graphs.push_back(std::move(graph));
  auto made = compile_model(all.model, darwinn::kCurrentRuntimeVersion, Style::vendor);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  all.made = std::move(*made);
  EXPECT_EQ(all.made.partition.groups.size(), 1u);
  expect_proven(all.model, all.made, 2, true);
  return all;
}

size_t tensors_of(const CompiledSegment& segment) {
  size_t n = 0;
  for (const Instruction& i : parse(segment.run.data).instructions) {
    n += i.opcode() == Opcode::tensor ? 1 : 0;
  }
  return n;
}

TEST(EdgetpuVendorNumbers, WhatIsAddedToAWordComesFromTheHost) {
  for (const OpKind kind : {OpKind::add, OpKind::sub}) {
    for (const int channels : {1, 3, 4}) {
      NumberNetwork net(5);
      const ValueId sum = net.number(kind, net.input(24, 20, channels), 40, 0.03F);
      const VendorMade made =
          made_like_vendor(net.finish(net.window(sum, 8, 3, 2, 1, true, false)));
      EXPECT_EQ(made.segment().streamed_bytes, 64) << channels;
    }
  }
}

TEST(EdgetpuVendorNumbers, MoreChannelsAreAddedToByTheInstruction) {
  NumberNetwork net(6);
  const ValueId sum = net.number(OpKind::sub, net.input(12, 12, 8), 40, 0.03F);
  EXPECT_EQ(made_like_vendor(net.finish(sum)).segment().streamed_bytes, 0);
}

TEST(EdgetpuVendorNumbers, ZeroIsNotAdded) {
  size_t most = 0;
  for (const int steps : {0, 9}) {
    NumberNetwork net(7);
    const ValueId sum = net.number(OpKind::sub, net.input(12, 12, 3), steps, 0.02F, true);
    const VendorMade made = made_like_vendor(net.finish(net.window(sum, 8, 3, 1, 1, true, false)));
    if (steps != 0) {
      EXPECT_EQ(tensors_of(made.segment()), most + 1);
    }
    most = tensors_of(made.segment());
  }
}

// A number above 0 is a multiplier, by the unit matrix: nothing else is written to wide memory.
TEST(EdgetpuVendorNumbers, AFactorIsAMultiplier) {
  NumberNetwork net(8);
  const ValueId to = net.number(OpKind::mul, net.input(12, 12, 4), 255, 1.0F / 255);
  const VendorMade made = made_like_vendor(net.finish(to));
  size_t unit = 0;
  for (const Instruction& i : parse(made.segment().run.data).instructions) {
    if (i.opcode() == Opcode::move_up) unit += i.get_or_zero("pattern") == 0xFF ? 1 : 0;
  }
  EXPECT_EQ(unit, 0u);
}

// A picture times a constant, whose RESHAPE to a list the vendor's compiler has before the product.
TEST(EdgetpuVendorNumbers, AListIsMultipliedByWhatComesFromTheHost) {
  for (const int size : {32, 48}) {
    NumberNetwork net(9);
    const ValueId made = net.window(net.input(size, size, 3), 1, 3, 1, 1, true, false);
    const ValueId times = net.product(net.logistic(made), net.noise({size, size, 1}));
    const VendorMade all = made_like_vendor(net.finish(net.reshape(times, {1, size * size, 1})));
    EXPECT_EQ(all.segment().streamed_bytes, size * size);
    EXPECT_EQ(all.segment().outputs.at(0).map.y.size, 1);
  }
}

// The scores of MoveNet: what is made of an output leaves before it.
TEST(EdgetpuVendorNumbers, AnOutputLeavesAfterWhatIsMadeOfItsBytes) {
  NumberNetwork net(10);
  const ValueId scores = net.logistic(net.window(net.input(16, 16, 4), 8, 3, 1, 1, true, false));
  const ValueId other = net.logistic(scores);
  Graph graph = net.finish(other);
  graph.outputs = {scores, other};
  const VendorMade made = made_like_vendor(std::move(graph));
  ASSERT_EQ(made.segment().outputs.size(), 2u);
  EXPECT_EQ(made.segment().outputs[0].turn, 1u);
  EXPECT_EQ(made.segment().outputs[1].turn, 0u);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
