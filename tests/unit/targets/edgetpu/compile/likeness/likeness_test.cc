#include "targets/edgetpu/compile/likeness/likeness.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

darwinn::File compiled(uint32_t seed, int channels) {
  RandomNetwork net(seed);
  const ValueId at = net.window(net.input(16, 16, 8), channels, 3, 1, 1, true, false);
  Model model;
  model.format = "tflite";
  model.graphs.push_back(net.finish(net.window(at, 0, 3, 1, 1, true, true)));
  const auto made = compile_model(model);
  EXPECT_TRUE(made.ok());
  return *darwinn::read(*tflite::write(made->model), "test");
}

size_t theirs(const Likeness& l) {
  size_t n = 0;
  for (const auto& o : l.opcodes) n += o.theirs;
  return n;
}
size_t equal(const Likeness& l) {
  size_t n = 0;
  for (const auto& o : l.opcodes) n += o.equal;
  return n;
}

TEST(EdgetpuLikeness, AProgramIsLikeItself) {
  const darwinn::File file = compiled(1, 16);
  const auto l = likeness_of(file, file);
  ASSERT_TRUE(l.ok());
  EXPECT_TRUE(l->same_bytes);
  EXPECT_EQ(equal(*l), theirs(*l));
  EXPECT_EQ(l->fields, l->equal_fields);
  EXPECT_TRUE(l->differing.empty());
  for (const auto& o : l->opcodes) EXPECT_EQ(o.counters, o.equal) << o.opcode;
  for (const auto& u : l->classes.uses) {
    if (u.use == Use::order) continue;
    EXPECT_EQ(u.equal, u.theirs) << text(u.use);
    EXPECT_EQ(u.waited, u.theirs) << text(u.use);
    EXPECT_EQ(u.extra, 0u) << text(u.use);
  }
  EXPECT_TRUE(l->classes.causes.empty());
}

// Other numbers of channels: the moves of the input are equal, the layers' instructions are not.
TEST(EdgetpuLikeness, WhatDiffersIsCountedOnce) {
  const auto l = likeness_of(compiled(1, 16), compiled(1, 32));
  ASSERT_TRUE(l.ok());
  EXPECT_FALSE(l->same_bytes);
  EXPECT_GT(equal(*l), 0u);
  EXPECT_LT(equal(*l), theirs(*l));
  EXPECT_LT(l->equal_fields, l->fields);
  EXPECT_FALSE(l->differing.empty());
  for (const auto& o : l->opcodes) {
    EXPECT_LE(o.equal + o.placed + o.other, std::min(o.ours, o.theirs)) << o.opcode;
    EXPECT_EQ(o.missing(), o.theirs - o.equal - o.placed - o.other) << o.opcode;
  }
}

// The program of inferences, and what can be changed in it.
struct Changed {
  Bytes data;
  explicit Changed(const darwinn::File& file) {
    for (const auto& id : all_bitstreams(file)) {
      if (executable_of(file, id)->type == darwinn::ExecutableType::parameter_caching) continue;
      const Bytes& more = find(file, id)->data;
      data.insert(data.end(), more.begin(), more.end());
    }
  }
  std::vector<Instruction> instructions() const { return parse(data).instructions; }
  std::span<std::byte> of(const Instruction& i) {
    return std::span(data).subspan(i.word * kWordBytes, i.bytes.size());
  }
};

Classes classes_of(const Changed& ours, const Changed& theirs) {
  ClassComparison comparison;
  EXPECT_TRUE(comparison.add(ours.instructions(), theirs.instructions(), false));
  return comparison.finish();
}

UseLikeness row(const Classes& c, Use use) {
  for (const UseLikeness& u : c.uses) {
    if (u.use == use) return u;
  }
  return {};
}

TEST(EdgetpuLikeness, EveryUseOfALayerIsNamed) {
  const Changed program(compiled(1, 16));
  const Classes c = classes_of(program, program);
  size_t all = 0;
  for (const UseLikeness& u : c.uses) all += u.theirs;
  EXPECT_EQ(all, program.instructions().size());
  for (const Use use : {Use::receive, Use::numbers, Use::convolution, Use::depthwise, Use::send,
                        Use::returned, Use::halo, Use::output, Use::order}) {
    EXPECT_GT(row(c, use).theirs, 0u) << text(use);
  }
  EXPECT_EQ(row(c, Use::receive).theirs, 2u);
  EXPECT_EQ(row(c, Use::send).theirs, 1u);
}

TEST(EdgetpuLikeness, ABlockInAnotherTileIsEqualWhereverItRests) {
  const Changed theirs(compiled(1, 16));
  Changed ours = theirs;
  for (const Instruction& i : theirs.instructions()) {
    if (i.opcode() != Opcode::ring_send || i.get("second") == 0) continue;
    set_bits(ours.of(i), find_field(Opcode::ring_send, "a.start")->bit, 16, 1234);
  }
  const Classes c = classes_of(ours, theirs);
  EXPECT_EQ(row(c, Use::send).equal, 0u);
  EXPECT_EQ(row(c, Use::send).rested, 1u);
  EXPECT_EQ(row(c, Use::send).waited, 1u);
  EXPECT_TRUE(c.causes.empty());
}

TEST(EdgetpuLikeness, OtherWaitsAreACauseOfTheirOwn) {
  const Changed theirs(compiled(1, 16));
  Changed ours = theirs;
  for (const Instruction& i : theirs.instructions()) {
    if (i.get_or_zero("numbers") == 0) continue;
    set_bits(ours.of(i), find_field(Opcode::wide_to_narrow, "wait.start")->bit, 16, 99);
  }
  const Classes c = classes_of(ours, theirs);
  const UseLikeness numbers = row(c, Use::numbers);
  EXPECT_GT(numbers.theirs, 0u);
  EXPECT_EQ(numbers.rested, numbers.theirs);
  EXPECT_EQ(numbers.waited, 0u);
  ASSERT_EQ(c.causes.size(), 1u);
  EXPECT_EQ(c.causes[0].what, "w2n wait.start");
  EXPECT_EQ(c.causes[0].count, numbers.theirs);
  EXPECT_TRUE(c.causes[0].waits);
}

// The networks were quantized apart: what brings the layer's parameters is equal all the same.
TEST(EdgetpuLikeness, ALayerWithOtherNumbersIsTheSameStep) {
  const Changed theirs(compiled(1, 16));
  Changed ours = theirs;
  const auto all = theirs.instructions();
  const Uses uses = uses_of(all, false);
  const FieldInfo* zero = find_field(Opcode::tensor, "output_zero_point");
  for (size_t k = 0; k < all.size(); ++k) {
    if (uses.of[k].use != Use::convolution) continue;
    set_bits(ours.of(all[k]), zero->bit, zero->width, all[k].get(*zero) ^ 1U);
  }
  const Classes c = classes_of(ours, theirs);
  EXPECT_EQ(row(c, Use::convolution).rested, 0u);
  EXPECT_GT(row(c, Use::receive).theirs, 0u);
  for (const Use use : {Use::receive, Use::numbers, Use::send}) {
    EXPECT_EQ(row(c, use).waited, row(c, use).theirs) << text(use);
  }
}

// An output by way of the scalar core's memory is no part of a depthwise layer.
TEST(EdgetpuLikeness, WhatTheScalarCoreKeepsIsAnOutput) {
  Changed program(compiled(1, 16));
  const Classes before = classes_of(program, program);
  const Changed given = program;  // whose bytes the instructions are
  for (const Instruction& i : given.instructions()) {
    if (i.opcode() != Opcode::outfeed || i.get("host") == 0) continue;
    for (const FieldName name : {FieldName("host"), FieldName("stream")}) {
      set_bits(program.of(i), find_field(Opcode::outfeed, name)->bit, 1, 0);
    }
  }
  const Classes after = classes_of(program, program);
  EXPECT_EQ(row(after, Use::output).theirs, row(before, Use::output).theirs);
  EXPECT_EQ(row(after, Use::returned).theirs, row(before, Use::returned).theirs);
}

// Two layers have each other's receivers: all instructions are there, but not where they belong.
TEST(EdgetpuLikeness, AnInstructionCountsInItsOwnStepAlone) {
  const Changed theirs(compiled(1, 16));
  Changed ours = theirs;
  std::vector<Instruction> numbers;
  for (const Instruction& i : theirs.instructions()) {
    if (i.get_or_zero("numbers") != 0) numbers.push_back(i);
  }
  ASSERT_EQ(numbers.size(), 2u);
  std::ranges::copy(numbers[0].bytes, ours.of(numbers[1]).begin());
  std::ranges::copy(numbers[1].bytes, ours.of(numbers[0]).begin());
  const Classes c = classes_of(ours, theirs);
  EXPECT_EQ(row(c, Use::numbers).theirs, 2u);
  EXPECT_EQ(row(c, Use::numbers).rested, 0u);
  size_t causes = 0;
  for (const Difference& cause : c.causes) causes += cause.count;
  EXPECT_EQ(causes, 2u);
}

TEST(EdgetpuLikeness, CausesAreAllThatIsNotEqual) {
  const Classes c = classes_of(Changed(compiled(1, 16)), Changed(compiled(1, 32)));
  size_t missed = 0, causes = 0;
  for (const UseLikeness& u : c.uses) {
    EXPECT_LE(u.equal, u.rested);
    EXPECT_LE(u.waited, u.rested);
    EXPECT_LE(u.rested, u.theirs);
    if (is_body(u.use)) missed += u.theirs - u.waited;
  }
  for (const Difference& cause : c.causes) causes += cause.count;
  EXPECT_GT(missed, 0u);
  EXPECT_EQ(causes, missed);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
