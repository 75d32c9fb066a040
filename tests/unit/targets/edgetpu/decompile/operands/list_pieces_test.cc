#include "targets/edgetpu/decompile/operands/list_pieces.h"

#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "unit/targets/edgetpu/compile/families.h"

namespace edgetwin::edgetpu {
namespace {

using Runs = std::vector<OwnedRun>;

// Owners 10, 11 and 12 are three pieces of 4, 4 and 2 words at each position.
bool by_turns(const std::vector<Runs>& tiles, bool begin = true) {
  return pieces_take_turns(tiles, {4, 4, 2}, {{10, 0}, {11, 1}, {12, 2}}, begin);
}

TEST(ListPieces, ThatStandAtEachPositionTakeTurns) {
  EXPECT_TRUE(by_turns({{{10, 4}, {11, 4}, {12, 2}, {10, 4}, {11, 4}, {12, 2}}}));
  // A tile begins and ends inside of a position; another map comes afterwards.
  EXPECT_TRUE(by_turns({{{10, 4}, {11, 3}},
                        {{11, 1}, {12, 2}, {10, 4}, {11, 4}, {12, 2}, {10, 4}, {11, 4}, {12, 2}},
                        {{10, 4}, {11, 4}, {12, 2}, {7, 9}}}));
  // Where a row ends in a tile, something else may follow.
  EXPECT_TRUE(by_turns({{{10, 4}, {11, 4}, {12, 2}, {10, 7}, {11, 4}, {12, 2}, {10, 4}}}));
}

TEST(ListPieces, MapsOneAfterTheOtherDoNot) {
  EXPECT_FALSE(by_turns({{{10, 40}, {11, 40}, {12, 20}}}));
  EXPECT_FALSE(by_turns({{{10, 16}}, {{11, 16}}, {{12, 8}}}));
  // Fewer turns than pieces show nothing.
  EXPECT_FALSE(by_turns({{{10, 4}, {11, 4}, {12, 2}}}));
  EXPECT_FALSE(by_turns({}));
}

// Not all pieces of a position are known.
TEST(ListPieces, SomethingElseBetweenThemIsAnotherList) {
  Runs runs;
  for (int k = 0; k < 9; ++k) runs.insert(runs.end(), {{10, 4}, {11, 4}, {12, 2}, {13, 2}});
  EXPECT_FALSE(by_turns({runs}));
  EXPECT_TRUE(pieces_take_turns({runs}, {4, 4, 2, 2}, {{10, 0}, {11, 1}, {12, 2}, {13, 3}}, true));
}

TEST(ListPieces, AnotherOrderIsAnotherList) {
  const Runs other = {{11, 4}, {10, 4}, {12, 2}, {11, 4}, {10, 4}, {12, 2}};
  EXPECT_FALSE(by_turns({other}, false));
  const Runs later = {{11, 4}, {12, 2}, {10, 4}, {11, 4}, {12, 2}, {10, 4}};
  EXPECT_FALSE(by_turns({later}));
  // Further on in the list a tile may begin anywhere.
  EXPECT_TRUE(by_turns({later}, false));
}

Bytes result_of(const Graph& graph) {
  exec::Options options;
  options.numerics = "edgetpu";
  auto session = exec::Session::create(std::make_shared<const Graph>(graph), options);
  EXPECT_TRUE(session.ok());
  if (!session.ok()) return {};
  const Bytes noise = compiler::noise_for(graph)[0];
  EXPECT_TRUE(session->set_input(0, noise).ok());
  EXPECT_TRUE(session->run().ok());
  const ByteSpan out = session->bytes(graph.outputs[0]);
  return {out.begin(), out.end()};
}

// Scores of 90 classes at two sizes: beside their list those of the larger one have no room at
// once.
TEST(ListPieces, AHeadInPiecesIsOneLayer) {
  if (kInstrumented) GTEST_SKIP() << "large";
  constexpr int kSide = 44, kClasses = 90, kAnchors = 9;
  compiler::Mobile net(Trained::int8);
  const ValueId large = net.conv(net.input(kSide, kSide, 4), 16, 3);
  std::vector<ValueId> scores;
  for (const ValueId m : {large, net.conv(large, 16, 3, 2)}) {
    const int64_t n = net.shape(m)[1] * net.shape(m)[2] * kAnchors;
    scores.push_back(net.reshape(net.conv(m, kClasses * kAnchors, 1, 1, false), {1, n, kClasses}));
  }
  Model source;
  source.format = "tflite";
  source.graphs.push_back(net.ends({net.logistic(net.join_along(1, scores))}));
  const auto made = compiler::compile_model(source);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const auto bytes = tflite::write(made->model);
  ASSERT_TRUE(bytes.ok());
  const auto file = darwinn::read(*bytes, "compiled");
  const auto compiled = tflite::read(*bytes, "compiled");
  ASSERT_TRUE(file.ok() && compiled.ok());
  const auto back = decompile(*compiled, *file);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  ASSERT_TRUE(back->complete());
  size_t pieces = 0;
  for (const DecompiledLayer& l : back->ops.at(0).layers.layers) {
    if (l.type == LayerType::conv && l.out.c == kClasses * kAnchors && l.out.h == kSide) {
      pieces = l.blocks.size();
    }
  }
  EXPECT_GT(pieces, 1U);
  const NetworkComparison c =
      compare_networks(back->model.main(), source.main(), program_numbers(back->ops));
  EXPECT_EQ(c.exact(), c.layers.size());
  EXPECT_TRUE(c.extra.empty());
  EXPECT_TRUE(result_of(back->model.main()) == result_of(source.main()));
}

}  // namespace
}  // namespace edgetwin::edgetpu
