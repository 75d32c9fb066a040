// Recurrent layers of any number of units, inputs and steps: the machine beside the twin, whose
// states go on from one inference to the next.
#include <gtest/gtest.h>

#include "instrumented.h"
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int kInferences = 2;

void expect_on_chip(const Graph& graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  ASSERT_TRUE(verify_graph(graph).ok());
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops) {
    ASSERT_FALSE(a.refusal) << a.op << ": " << a.refusal->message;
  }
  expect_proven(model, *made, kInferences);
}

TEST(EdgetpuRecurrent, OfManySizes) {
  struct Size {
    int steps, depth, units;
  };
  for (const Size s : {Size{1, 4, 4}, Size{3, 3, 1}, Size{2, 1, 5}, Size{4, 6, 8}, Size{5, 9, 12},
                       Size{2, 28, 16}, Size{3, 13, 33}, Size{2, 40, 64}, Size{2, 8, 65},
                       Size{60, 9, 16}, Size{1, 64, 256}, Size{30, 4, 128}, Size{7, 300, 8}}) {
    if (kInstrumented && s.units > 20) continue;
    SCOPED_TRACE(std::to_string(s.steps) + " steps, " + std::to_string(s.depth) + " inputs, " +
                 std::to_string(s.units) + " units");
    RandomNetwork net(static_cast<uint32_t>(s.units));
    expect_on_chip(net.finish(net.recurrent(net.input_of({1, s.steps, s.depth}), s.units)));
  }
}

TEST(EdgetpuRecurrent, BetweenOtherOperators) {
  for (uint32_t seed = 1; seed <= (kInstrumented ? 1U : 6U); ++seed) {
    SCOPED_TRACE(seed);
    RandomNetwork net(seed);
    const int steps = 2 + net.below(4), depth = 4 * (1 + net.below(6)), units = 4 + net.below(40);
    ValueId at = net.recurrent(net.input_of({1, steps, depth}), units);
    if (seed % 3 == 0) at = net.recurrent(at, 4 * (1 + net.below(10)));
    const auto all = static_cast<int64_t>(net.shape(at).elements());
    if (seed % 2 == 0) at = net.softmax(net.dense(net.reshape(at, {1, all}), 10));
    if (seed % 2 == 1) at = net.rows(at, 8);
    expect_on_chip(net.finish(at));
  }
}

size_t program_bytes(int steps, int units) {
  RandomNetwork net(3);
  const Graph graph = net.finish(net.recurrent(net.input_of({1, steps, 8}), units));
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1u);
  return p.groups.empty() ? 0 : p.groups[0].compiled.run.data.size();
}

// Of 30 steps of 128 units the body has two, since their results are many words.
TEST(EdgetpuRecurrent, TheStepsAreALoop) {
  EXPECT_EQ(program_bytes(4, 16), program_bytes(64, 16));
  EXPECT_LT(program_bytes(64, 16), program_bytes(1, 16) + 1000);
  EXPECT_GT(program_bytes(30, 128), program_bytes(2, 128) + 4000);
  EXPECT_LT(program_bytes(30, 128), 3 * program_bytes(2, 128));
}

Assignment first_of(const Graph& graph) { return partition_of(graph).ops[0]; }

TEST(EdgetpuRecurrent, WhatIsNotKnownStaysOnTheHost) {
  const auto with = [](auto&& change) {
    RandomNetwork net(1);
    Graph g = net.finish(net.recurrent(net.input_of({1, 2, 4}), 8));
    change(g);
    const Assignment a = first_of(g);
    return a.refusal ? a.refusal->message : std::string();
  };
  const auto attrs = [](Graph& g) -> LstmAttrs& {
    return *std::get_if<LstmAttrs>(&g.ops[0].attrs);
  };
  EXPECT_EQ(with([](Graph&) {}), "");
  EXPECT_EQ(with([&](Graph& g) { attrs(g).time_major = true; }), "its first axis is time");
  EXPECT_EQ(with([&](Graph& g) { attrs(g).cell_clip = 0.5F; }),
            "it clips its cell inside of 16 bits");
  EXPECT_EQ(with([&](Graph& g) { attrs(g).activation = Activation::relu; }),
            "its activation is not TANH");
  EXPECT_EQ(with([](Graph& g) { g.ops[0].inputs[9] = g.ops[0].inputs[12]; }),
            "it has peephole connections");
  EXPECT_EQ(with([](Graph& g) { g.ops[0].inputs[16] = g.ops[0].inputs[5]; }),
            "it has a projection");
  EXPECT_EQ(with([](Graph& g) { g.ops[0].inputs[20] = g.ops[0].inputs[12]; }),
            "it has layer normalization");
  EXPECT_EQ(with([](Graph& g) { g.value(g.ops[0].inputs[18]).is_variable = false; }),
            "its values are not int8 with a state of int8 and one of int16");
  RandomNetwork wide(2);
  EXPECT_EQ(first_of(wide.finish(wide.recurrent(wide.input_of({1, 1, 4}), 257))).refusal->message,
            "it has 257 units; the gates of 256 have room in the tiles");
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
