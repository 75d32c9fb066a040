#include <algorithm>

#include "decode/pose.h"

#include <gtest/gtest.h>

#include "decode/movenet.h"
#include "decode/part.h"
#include "decode/posenet.h"
#include "unit/decode/maps.h"

namespace edgetwin::decode {
namespace {

// One person in one block: every key point has its peak there, the nose the highest.
std::vector<Tensor> one_person() {
  std::vector<Tensor> maps = {floats("heatmaps", {1, 3, 3, 17}, -8.0F),
                              floats("short_offsets", {1, 3, 3, 34}),
                              floats("mid_offsets", {1, 3, 3, 64})};
  for (int k = 0; k < 17; ++k) maps[0].as<float>()[static_cast<size_t>(4 * 17 + k)] = 3.0F;
  maps[0].as<float>()[4 * 17] = 4.0F;
  return maps;
}

TEST(Posenet, OnePersonInOneBlock) {
  auto maps = one_person();
  std::rotate(maps.begin(), maps.begin() + 1, maps.end());  // any order
  const auto poses = posenet_poses(maps, {});
  ASSERT_TRUE(poses.ok()) << to_text(poses.error());
  const auto people = people_of(*poses);
  ASSERT_EQ(people.size(), 1U);
  for (const Keypoint& p : people[0].points) {
    EXPECT_EQ(p.x, 16.0);
    EXPECT_EQ(p.y, 16.0);
  }
  EXPECT_NEAR(people[0].points[0].score, 0.98201, 1e-5);
  const auto twice = scaled(people, 2.0, 3.0);
  EXPECT_EQ(twice[0].points[5].x, 32.0);
  EXPECT_EQ(twice[0].points[5].y, 48.0);
}

TEST(Posenet, TwoMapsOfADepthAreToldApartByName) {
  auto maps = one_person();
  maps.push_back(floats("long_offsets", {1, 3, 3, 34}, 1000.0F));
  ASSERT_TRUE(posenet_poses(maps, {}).ok());
  maps[1].name = "offsets";
  EXPECT_EQ(posenet_poses(maps, {}).error().code, ErrorCode::decode_maps);
}

TEST(Posenet, RefusesMapsAndOptionsThatDoNotFit) {
  auto maps = one_person();
  EXPECT_EQ(posenet_poses(std::span(maps).first(2), {}).error().code, ErrorCode::decode_maps);
  maps[2] = floats("mid_offsets", {1, 3, 2, 64});
  EXPECT_EQ(posenet_poses(maps, {}).error().code, ErrorCode::decode_maps);
  maps = one_person();
  maps[0].data.resize(8);
  EXPECT_EQ(posenet_poses(maps, {}).error().code, ErrorCode::decode_maps);
  PosenetAttrs bad;
  bad.stride = 0;
  EXPECT_EQ(posenet_poses(one_person(), bad).error().code, ErrorCode::decode_options);
  bad = {};
  bad.score_threshold = 2.0F;
  EXPECT_EQ(posenet_poses(one_person(), bad).error().code, ErrorCode::decode_options);
  bad = {};
  bad.max_detections = 1 << 30;
  EXPECT_EQ(posenet_poses(one_person(), bad).error().code, ErrorCode::decode_options);
}

TEST(Posenet, RowsOfTheOperator) {
  std::vector<Tensor> outputs = {floats("points", {1, 2, 17, 2}, 5.0F),
                                 floats("scores", {1, 2, 17}, 0.5F), floats("poses", {1, 2}, 0.25F),
                                 floats("count", {1}, 1.0F)};
  const auto people = people_of_outputs(outputs);
  ASSERT_TRUE(people.ok());
  ASSERT_EQ(people->size(), 1U);
  EXPECT_EQ((*people)[0].score, 0.25);
  outputs[3].as<float>()[0] = 1e9F;
  EXPECT_EQ(people_of_outputs(outputs)->size(), 2U);
  outputs[1] = floats("scores", {1, 2, 16});
  EXPECT_EQ(people_of_outputs(outputs).error().code, ErrorCode::decode_maps);
}

std::vector<Tensor> multipose_maps() {
  std::vector<Tensor> maps = {
      floats("heatmap", {1, 3, 3, 17}, -8.0F), floats("offset_2", {1, 3, 3, 34}, 2.0F),
      floats("displacement_fwd_2", {1, 3, 3, 32}), floats("displacement_bwd_2", {1, 3, 3, 32})};
  maps[0].as<float>()[4 * 17 + 3] = 2.0F;
  return maps;
}

TEST(Multipose, FromOnePeakToAllKeyPoints) {
  auto maps = multipose_maps();
  std::reverse(maps.begin(), maps.end());  // names tell them apart
  const auto people = decode_multipose(maps, {});
  ASSERT_TRUE(people.ok()) << to_text(people.error());
  ASSERT_EQ(people->size(), 1U);
  for (const Keypoint& p : (*people)[0].points) {
    EXPECT_EQ(p.x, 18.0);  // block 1 of 16 pixels and the offset
    EXPECT_EQ(p.y, 18.0);
  }
}

TEST(Multipose, PeaksNearAFoundPersonAreItsOwn) {
  auto maps = multipose_maps();
  maps[0].as<float>()[0 * 17 + 3] = 1.9F;  // 16 pixels up and left: beside the largest, no peak
  EXPECT_EQ(decode_multipose(maps, {})->size(), 1U);
  maps = {floats("heatmap", {1, 1, 5, 17}, -8.0F), floats("offset", {1, 1, 5, 34}),
          floats("fwd", {1, 1, 5, 32}), floats("bwd", {1, 1, 5, 32})};
  maps[0].as<float>()[0 * 17] = maps[0].as<float>()[2 * 17] = 1.0F;
  EXPECT_EQ(decode_multipose(maps, {})->size(), 2U);  // 32 pixels apart
  MultiposeOptions wide;
  wide.nms_radius = 32.0;
  EXPECT_EQ(decode_multipose(maps, wide)->size(), 1U);
}

TEST(Multipose, RefusesMapsAndOptionsThatDoNotFit) {
  auto maps = multipose_maps();
  EXPECT_EQ(decode_multipose(std::span(maps).first(3), {}).error().code, ErrorCode::decode_maps);
  MultiposeOptions bad;
  bad.stride = 0;
  EXPECT_EQ(decode_multipose(maps, bad).error().code, ErrorCode::decode_options);
  maps[3] = floats("displacement_bwd_2", {1, 3, 4, 32});
  EXPECT_EQ(decode_multipose(maps, {}).error().code, ErrorCode::decode_maps);
}

TEST(Multipose, NotANumberLeadsNowhereBad) {
  auto maps = multipose_maps();
  for (Tensor& t : std::span(maps).subspan(1)) {
    for (float& v : t.as<float>()) v = std::numeric_limits<float>::quiet_NaN();
  }
  EXPECT_TRUE(decode_multipose(maps, {}).ok());
  for (float& v : maps[1].as<float>()) v = 1e30F;
  EXPECT_TRUE(decode_multipose(maps, {}).ok());
}

TEST(Movenet, OneAndSeveralPeople) {
  Tensor one = floats("out", {1, 1, 17, 3}, 0.5F);
  auto people = decode_movenet(one, 200, 100, 0.0);
  ASSERT_TRUE(people.ok());
  ASSERT_EQ(people->size(), 1U);
  EXPECT_EQ((*people)[0].points[16].x, 100.0);
  EXPECT_EQ((*people)[0].points[16].y, 50.0);
  EXPECT_DOUBLE_EQ((*people)[0].score, 0.5);
  Tensor several = floats("out", {1, 2, 56}, 0.25F);
  several.as<float>()[55] = 0.9F;
  people = decode_movenet(several, 10, 10, 0.5);
  ASSERT_EQ(people->size(), 1U);
  EXPECT_NEAR((*people)[0].score, 0.9, 1e-6);
  EXPECT_EQ(decode_movenet(floats("out", {1, 16, 3}), 10, 10, 0.0).error().code,
            ErrorCode::decode_maps);
}

TEST(DrawPeople, OnlySureKeyPoints) {
  Person person;
  for (size_t k = 0; k < person.points.size(); ++k) {
    person.points[k] = {5.0 + static_cast<double>(k), 10.0, 0.2};
  }
  const Tensor picture = bytes_of("picture", {40, 40, 3}, {}, 1.0F, 0);
  const auto none = draw_people(picture, {person}, 0.3);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->data, picture.data);
  person.points[0] = {std::nan(""), 1e300, 1.0};  // cannot be drawn
  person.points[1] = {1e12, -5.0, 1.0};           // far outside
  person.points[5] = {20.0, 20.0, 1.0};
  const auto drawn = draw_people(picture, {person}, 0.3);
  ASSERT_TRUE(drawn.ok());
  EXPECT_NE(drawn->data[(20 * 40 + 20) * 3], std::byte{0});
  EXPECT_EQ(drawn->data[(35 * 40 + 35) * 3], std::byte{0});
  EXPECT_EQ(draw_people(bytes_of("p", {4, 4, 1}, {}, 1.0F, 0), {person}, 0.3).error().code,
            ErrorCode::decode_maps);
}

TEST(Part, OnlyWhatTheOutputsNeed) {
  Graph graph;
  graph.values.resize(5);
  const auto add = [&graph](OpKind kind, ValueId in, ValueId out) {
    Op op;
    op.kind = kind;
    op.attrs = default_attrs(kind);
    op.inputs = {in};
    op.outputs = {out};
    graph.ops.push_back(op);
  };
  add(OpKind::quantize, 0, 1);
  add(OpKind::logistic, 1, 2);
  add(OpKind::dequantize, 1, 3);
  graph.inputs = {0};
  graph.outputs = {2, 3};
  const Graph part = part_for(graph, {3});
  ASSERT_EQ(part.ops.size(), 2U);
  EXPECT_EQ(part.ops[1].kind, OpKind::dequantize);
  EXPECT_EQ(find_op(part, OpKind::logistic), nullptr);
  EXPECT_EQ(find_op(graph, OpKind::logistic), &graph.ops[1]);
}

}  // namespace
}  // namespace edgetwin::decode
