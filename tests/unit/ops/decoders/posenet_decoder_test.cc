#include <algorithm>

#include "ops/decoders/posenet_decoder.h"

#include "ops/decoders/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

// A map of 4x4 blocks in which every keypoint of one person sits at block (1, 2) and the mid
// offsets are zero: all edges lead from the block to itself.
struct Maps {
  std::vector<float> heat = std::vector<float>(16 * 17, -10.0F);
  std::vector<float> near = std::vector<float>(16 * 34, 0.0F);
  std::vector<float> mid = std::vector<float>(16 * 64, 0.0F);

  Maps() {
    for (size_t k = 0; k < 17; ++k) heat[(1 * 4 + 2) * 17 + k] = 2.0F;
  }
  OpTest op(const PosenetAttrs& o) const {
    OpTest t(OpKind::posenet_decoder, o);
    t.input(make<float>({1, 4, 4, 17}, heat)).input(make<float>({1, 4, 4, 34}, near));
    t.input(make<float>({1, 4, 4, 64}, mid));
    for (int i = 0; i < 4; ++i) t.output(DType::float32);
    return t;
  }
};

PosenetAttrs two_poses() {
  PosenetAttrs o;
  o.max_detections = 2;
  return o;
}

TEST(Posenet, OnePerson) {
  const auto r = Maps().op(two_poses()).run(prepare_posenet_decoder);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ((*r)[0].shape, (Shape{1, 2, 17, 2}));
  EXPECT_EQ(values<float>((*r)[3]), (std::vector<float>{1}));
  const auto points = values<float>((*r)[0]);
  for (size_t k = 0; k < 17; ++k) {
    EXPECT_EQ(points[2 * k], 16.0F);
    EXPECT_EQ(points[2 * k + 1], 32.0F);
  }
  EXPECT_NEAR(values<float>((*r)[2])[0], 0.880797F, 1e-6F);
  EXPECT_EQ(values<float>((*r)[2])[1], 0.0F);  // rows without a pose
  EXPECT_EQ(points[34], 0.0F);
}

TEST(Posenet, WhichWalksAreBackward) {
  // From the left eye (keypoint 1) back to the nose is walk 16. Channel 32 is its way down; read as
  // a forward walk, the same channel is its way to the right.
  Maps m;
  for (size_t block = 0; block < 16; ++block) m.mid[block * 64 + 32] = 1.0F;
  for (size_t k = 0; k < 17; ++k) m.heat[(1 * 4 + 2) * 17 + k] = k == 1 ? 3.0F : 2.0F;
  const PoseMaps maps{4, 4, m.heat, m.near, m.mid};
  PosenetAttrs o;
  o.max_detections = 1;
  o.score_threshold = 0.1F;  // where the nose lands there is nothing, and all else follows it
  const auto right = decode_poses(maps, o, kFirstBackwardWalk);
  const auto shifted = decode_poses(maps, o, kFirstBackwardWalkShifted);
  ASSERT_EQ(right.size(), 1U);
  ASSERT_EQ(shifted.size(), 1U);
  EXPECT_EQ(right[0].points[0].y, 32.0F);
  EXPECT_EQ(right[0].points[0].x, 32.0F);
  EXPECT_EQ(shifted[0].points[0].y, 16.0F);
  EXPECT_EQ(shifted[0].points[0].x, 48.0F);
}

TEST(Posenet, HeapOrderAmongEquals) {
  CandidateHeap heap;
  for (int i = 0; i < 4; ++i) heap.push({1.0F, {}, i});
  std::vector<int> order;
  while (!heap.empty()) order.push_back(heap.pop().keypoint);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 3, 2}));
}

TEST(Posenet, NothingAboveTheThreshold) {
  Maps m;
  std::fill(m.heat.begin(), m.heat.end(), -1.0F);
  const auto r = m.op(two_poses()).run(prepare_posenet_decoder);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values<float>((*r)[3]), (std::vector<float>{0}));
}

TEST(Posenet, AnyFloatsAreSafe) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 3e38F, -3e38F}) {
    Maps m;
    std::fill(m.near.begin(), m.near.end(), bad);
    std::fill(m.mid.begin(), m.mid.end(), bad);
    EXPECT_TRUE(m.op(two_poses()).run(prepare_posenet_decoder).ok());
    std::fill(m.heat.begin(), m.heat.end(), bad);
    EXPECT_TRUE(m.op(two_poses()).run(prepare_posenet_decoder).ok());
  }
}

TEST(Posenet, RefusesOptionsAndOperands) {
  const auto error = [](auto change) {
    PosenetAttrs o = two_poses();
    change(o);
    return Maps().op(o).error(prepare_posenet_decoder);
  };
  EXPECT_EQ(error([](auto& o) { o.max_detections = 0; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.stride = 0; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.score_threshold = -1.0F; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.nms_radius = -1.0F; }), ErrorCode::op_attribute);
  EXPECT_EQ(error([](auto& o) { o.max_detections = INT32_MAX; }), ErrorCode::op_shape);
  OpTest more = Maps().op(two_poses());
  more.input(scalar(0));
  EXPECT_EQ(more.error(prepare_posenet_decoder), ErrorCode::op_unsupported);
}

}  // namespace
}  // namespace edgetwin::ops
