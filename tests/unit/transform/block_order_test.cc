#include "transform/block_order.h"

#include <gtest/gtest.h>

#include "exec/session.h"
#include "quantize/networks.h"

namespace edgetwin::transform {
namespace {

using quantize::Builder;

constexpr int64_t kChannels = 3;

// [conv, relu,] DepthToSpace in DCR order.
Graph blocks(Builder& b, bool with_conv) {
  ValueId x = b.input("x", {1, with_conv ? 5 : kChannels * 4, 2, 3});
  if (with_conv) x = b.relu(b.conv(x, kChannels * 4));
  BlockAttrs a;
  a.block_size = 2;
  return b.finish({b.op(OpKind::depth_to_space, "DepthToSpace", {x}, {1, kChannels, 4, 6}, a)});
}

Bytes result_of(const Graph& g, const Tensor& input) {
  exec::Options how;
  how.numerics = "onnx";
  auto session = exec::Session::create(std::make_shared<const Graph>(g), how);
  EXPECT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_TRUE(session->set_input(0, input.data).ok());
  EXPECT_TRUE(session->run().ok());
  const ByteSpan out = session->bytes(g.outputs[0]);
  return Bytes(out.begin(), out.end());
}

TEST(BlockOrder, KeepsEveryBitWithFiltersInOrder) {
  Builder b;
  Graph g = blocks(b, true);
  const Tensor input = b.samples(1)[0][0];
  const Bytes before = result_of(g, input);
  const auto done = channel_first_blocks(g);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].layer, "#0 Conv 'Conv1'");
  EXPECT_EQ(g.ops.size(), 3U);
  EXPECT_TRUE(verify_graph(g).ok());
  EXPECT_EQ(result_of(g, input), before);
}

TEST(BlockOrder, KeepsEveryBitWithAGather) {
  Builder b;
  Graph g = blocks(b, false);
  const Tensor input = b.samples(1)[0][0];
  const Bytes before = result_of(g, input);
  const auto done = channel_first_blocks(g);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].layer, "");
  ASSERT_EQ(g.ops.size(), 2U);
  EXPECT_EQ(g.ops[0].kind, OpKind::gather);
  EXPECT_TRUE(verify_graph(g).ok());
  EXPECT_EQ(result_of(g, input), before);
  EXPECT_TRUE(channel_first_blocks(g).empty());
}

}  // namespace
}  // namespace edgetwin::transform
