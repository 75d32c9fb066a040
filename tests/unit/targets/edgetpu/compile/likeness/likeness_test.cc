#include "targets/edgetpu/compile/likeness/likeness.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
