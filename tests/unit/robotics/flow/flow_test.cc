#include "robotics/flow/flow_stage.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "robotics/flow/flow_kernels.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/flow/replica.h"
#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;
using testing::picture;

Tensor noise(int height, int width, uint32_t seed) {
  XorShift32 random(seed);
  Tensor t = picture(height, width, 1, 0);
  for (uint8_t& v : t.as<uint8_t>()) v = random.byte();
  return t;
}

Tensor moved(const Tensor& from, int dy, int dx) {
  Tensor to = from;
  const int64_t h = from.shape[0], w = from.shape[1];
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      to.data[static_cast<size_t>(y * w + x)] =
          from.data[static_cast<size_t>((y - dy + h) % h * w + (x - dx + w) % w)];
    }
  }
  return to;
}

TEST(FlowKernels, EqualThePlainLoops) {
  XorShift32 random(7);
  for (const size_t length : {16U, 32U, 48U, 128U}) {
    for (const int most : {3, 255, 4080, 16000, 32767}) {
      for (const size_t count : {1U, 3U, 5U, 9U, 13U}) {
        const size_t rows = 9, step = 5, a_row = length + count * step;
        std::vector<int16_t> a(rows * a_row + kFlowLanes), b(rows * length);
        // The largest magnitudes of one sign are where sums overflow first.
        for (int16_t& v : a) v = static_cast<int16_t>(random.byte() < 20 ? -most : most);
        for (int16_t& v : b) v = static_cast<int16_t>(random.byte() < 20 ? 1 : most);
        std::vector<int64_t> fast(count), plain(count);
        Shifts s{a.data(), b.data(), a_row, length, length, rows, step, count, most, fast.data()};
        dot_shifts(s);
        s.sums = plain.data();
        dot_shifts_plain(s);
        EXPECT_EQ(fast, plain) << length << " " << most << " " << count;
      }
    }
  }
}

TEST(FlowKernels, SquaresEqualThePlainLoops) {
  XorShift32 random(8);
  for (const size_t filters : {1U, 3U, 8U, 9U}) {
    for (const size_t pool : {1U, 2U, 3U, 4U, 11U}) {
      const size_t width = 5 * pool + 2, height = 3 * pool + 1;
      std::vector<uint8_t> from(width * height * filters);
      for (uint8_t& v : from) v = random.byte() > 60 ? 255 : random.byte();
      std::vector<int16_t> fast(15 * filters), plain(fast.size());
      Squares s{from.data(),
                fast.data(),
                3,
                5,
                filters,
                pool,
                width * filters,
                5 * filters,
                static_cast<int>(pool * pool * 7)};
      sum_squares(s);
      s.to = plain.data();
      sum_squares_plain(s);
      EXPECT_EQ(fast, plain) << filters << " " << pool;
    }
  }
}

TEST(FlowStage, EqualsItsDefinition) {
  XorShift32 random(9);
  for (const int filters : {1, 4, 8, 9}) {
    for (const int pool : {1, 2, 4, 12}) {
      FlowSettings s{48, 60, filters, 3, pool, 3, 0.5, true};
      Bytes a(static_cast<size_t>(48 * 60 * filters)), b(a.size());
      for (std::byte& v : a) v = static_cast<std::byte>(random.byte());
      for (std::byte& v : b) v = static_cast<std::byte>(random.byte());
      auto fast = FlowStage::make(s);
      s.fast = false;
      auto plain = FlowStage::make(s);
      ASSERT_TRUE(fast.ok() && plain.ok());
      ASSERT_TRUE(fast->compute(a, b).ok() && plain->compute(a, b).ok());
      ASSERT_EQ(fast->scores().size(), 49U);
      for (size_t i = 0; i < 49; ++i) ASSERT_EQ(fast->scores()[i], plain->scores()[i]) << i;
    }
  }
}

TEST(FlowStage, PeaksAtTheShift) {
  const int side = 16, filters = 8;
  const Bytes a = noise(side, side * filters, 11).data;
  for (const auto& [dy, dx] : {std::pair(0, 0), std::pair(2, -3), std::pair(-4, 4)}) {
    Bytes b(a.size());
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const int from = ((y - dy + side) % side * side + (x - dx + side) % side) * filters;
        std::copy_n(&a[static_cast<size_t>(from)], filters,
                    &b[static_cast<size_t>((y * side + x) * filters)]);
      }
    }
    auto stage = FlowStage::make({side, side, filters, 128, 1, 4, 0.1, true});
    ASSERT_TRUE(stage.ok());
    const auto flow = stage->compute(a, b);
    ASSERT_TRUE(flow.ok());
    ASSERT_EQ(stage->scores().size(), 81U);
    EXPECT_NEAR(flow->vx, dx, 1e-3);
    EXPECT_NEAR(flow->vy, dy, 1e-3);
  }
}

TEST(FlowStage, PooledSumsAreExactAndCropped) {
  auto stage = FlowStage::make({5, 7, 1, 10, 2, 1, 0.1, true});
  ASSERT_TRUE(stage.ok());
  EXPECT_EQ(stage->pooled_height(), 2);
  EXPECT_EQ(stage->pooled_width(), 3);
  Bytes f(35);
  for (size_t i = 0; i < f.size(); ++i) f[i] = static_cast<std::byte>(i);
  const auto sums = stage->pooled(f);
  ASSERT_TRUE(sums.ok());
  EXPECT_EQ(*sums, (std::vector<int32_t>{0 + 1 + 7 + 8 - 40, 2 + 3 + 9 + 10 - 40,
                                         4 + 5 + 11 + 12 - 40, 14 + 15 + 21 + 22 - 40,
                                         16 + 17 + 23 + 24 - 40, 18 + 19 + 25 + 26 - 40}));
}

TEST(FlowStage, SoftArgmax) {
  std::vector<float> flat(9, 3.0F);
  EXPECT_EQ(soft_argmax(flat, 1, 0.1).vx, 0.0);
  EXPECT_EQ(soft_argmax(flat, 1, 0.1).vy, 0.0);
  flat[5] = 100.0F;  // dy 0, dx 1
  EXPECT_NEAR(soft_argmax(flat, 1, 0.1).vx, 1.0, 1e-6);
  EXPECT_NEAR(soft_argmax(flat, 1, 0.1).vy, 0.0, 1e-6);
  flat[4] = 100.0F;
  EXPECT_NEAR(soft_argmax(flat, 1, 0.1).vx, 0.5, 1e-6);
  EXPECT_NEAR(soft_argmax(flat, 1, 0.0).vx, 0.5, 1e-6);
}

TEST(FlowStage, RefusesWhatCannotBe) {
  FlowSettings s{16, 16, 8, 0, 1, 4, 0.1, true};
  auto stage = FlowStage::make(s);
  ASSERT_TRUE(stage.ok());
  EXPECT_EQ(code_of(stage->compute(Bytes(5), Bytes(16 * 16 * 8))), ErrorCode::module_input);
  EXPECT_EQ(code_of(stage->compute(Bytes(), Bytes())), ErrorCode::module_input);
  s.search_range = 16;
  EXPECT_EQ(code_of(FlowStage::make(s)), ErrorCode::module_input);
  s.search_range = 4;
  s.pool = 5;
  EXPECT_EQ(code_of(FlowStage::make(s)), ErrorCode::module_input);
  s.pool = 1;
  s.temperature = std::nan("");
  EXPECT_EQ(code_of(FlowStage::make(s)), ErrorCode::module_input);
}

TEST(OpticalFlow, Directions) {
  EXPECT_EQ(flow_to_direction(0.1, 0.1), "center");
  EXPECT_EQ(flow_to_direction(1, 0), "right");
  EXPECT_EQ(flow_to_direction(-1, -1), "up-left");
  EXPECT_EQ(flow_to_direction(0, 2), "down");
  // Long enough together, and neither alone.
  EXPECT_EQ(flow_to_direction(0.25, 0.25), "center");
}

TEST(OpticalFlow, SeesShiftsOnTheTwin) {
  for (const bool pooled : {false, true}) {
    for (const char* numerics : {"edgetpu", "tflite"}) {
      auto flow = OpticalFlow::from_template(64, {}, pooled, {numerics});
      ASSERT_TRUE(flow.ok()) << to_text(flow.error());
      ASSERT_TRUE(flow->open().ok());
      const Tensor a = noise(64, 64, 21);
      for (const auto& [dy, dx] : {std::pair(0, 8), std::pair(-8, 0), std::pair(0, 0)}) {
        const auto f = flow->compute(a, moved(a, dy, dx));
        ASSERT_TRUE(f.ok());
        EXPECT_NEAR(f->vx, dx / 4.0, 0.3);
        EXPECT_NEAR(f->vy, dy / 4.0, 0.3);
        // Bytes in, the same answer.
        const auto raw = flow->compute_raw(a.data, moved(a, dy, dx).data);
        EXPECT_EQ(raw->vx, f->vx);
      }
    }
  }
}

TEST(OpticalFlow, UniformPicturesDoNotMove) {
  auto flow = OpticalFlow::from_template(64, {}, true);
  ASSERT_TRUE(flow.ok() && flow->open().ok());
  const auto f = flow->compute(picture(64, 64, 1, 0), picture(64, 64, 1, 0));
  ASSERT_TRUE(f.ok());
  EXPECT_NEAR(f->vx, 0.0, 1e-9);
  EXPECT_NEAR(f->vy, 0.0, 1e-9);
}

TEST(OpticalFlow, FeaturesAndErrors) {
  auto flow = OpticalFlow::from_template(64);
  ASSERT_TRUE(flow.ok());
  EXPECT_EQ(flow->num_filters(), 8);
  EXPECT_EQ(flow->fused_pool(), 0);
  EXPECT_EQ(code_of(flow->compute(picture(64, 64, 1, 0), picture(64, 64, 1, 0))),
            ErrorCode::module_closed);
  ASSERT_TRUE(flow->open().ok());
  EXPECT_EQ(flow->extract_features_raw(picture(64, 64, 1, 9))->size(), 64U * 64U * 8U);
  EXPECT_EQ(flow->extract_features(picture(64, 64, 1, 9))->size(), 64U * 64U * 8U);
  EXPECT_EQ(code_of(flow->extract_features_raw(picture(63, 64, 1, 9))), ErrorCode::module_input);
  EXPECT_EQ(code_of(flow->extract_features_raw(picture(64, 64, 3, 9))), ErrorCode::module_input);
  EXPECT_EQ(code_of(OpticalFlow::from_template(62, {}, true)), ErrorCode::template_argument);
}

TEST(VisualCompass, Formulas) {
  auto c = VisualCompass::from_template(64, 90.0);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->flow().fused_pool(), 4);  // pooled unless told otherwise
  EXPECT_DOUBLE_EQ(c->deg_per_pooled_px(), 90.0 * 4 / 64);
  for (const double bad : {0.0, -1.0, 360.5, std::nan("")}) {
    EXPECT_EQ(code_of(VisualCompass::from_template(64, bad)), ErrorCode::module_input);
  }
  EXPECT_TRUE(VisualCompass::from_template(64, 360.0).ok());
  ASSERT_TRUE(c->open().ok());
  EXPECT_TRUE(c->is_open());
  const Tensor a = noise(64, 64, 22);
  const auto turn = c->compute(a, moved(a, 0, 8));
  ASSERT_TRUE(turn.ok());
  EXPECT_GT(turn->yaw, 0.0);
  EXPECT_DOUBLE_EQ(turn->yaw, turn->flow.vx * c->deg_per_pooled_px());
  EXPECT_LT(*c->compute_yaw(a, moved(a, 0, -8)), 0.0);
  c->close();
  EXPECT_EQ(code_of(c->compute_yaw(a, a)), ErrorCode::module_closed);
}

TEST(VisualCompass, Directions) {
  EXPECT_EQ(yaw_to_direction(-1.1), "left");
  EXPECT_EQ(yaw_to_direction(1.1), "right");
  EXPECT_EQ(yaw_to_direction(1.0), "center");
  EXPECT_EQ(yaw_to_direction(-1.0), "center");
  EXPECT_EQ(yaw_to_direction(2.0, 3.0), "center");
}

TEST(FlowReplica, Quantizes) {
  auto r = FlowReplica::make(64, 64);
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  Tensor p = picture(64, 64, 1, 0);
  for (size_t i = 0; i < p.data.size(); ++i) p.data[i] = static_cast<std::byte>(i % 256);
  const auto m = r->maps(p);
  ASSERT_TRUE(m.ok());
  for (size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(m->after_quantize_int8[i], static_cast<int>(i) - 128) << i;
  }
  for (const int8_t v : m->conv_output_int8) EXPECT_GE(v, -128);
  EXPECT_EQ(m->final_uint8.size(), 16U * 16U * 8U);
  for (size_t i = 0; i < m->final_uint8.size(); ++i) {
    EXPECT_EQ(static_cast<int>(m->final_uint8[i]), m->pool_output_int8[i] + 128);
  }
}

TEST(FlowReplica, PadsWithTheZeroPointAndKeepsUniformBlocks) {
  auto r = FlowReplica::make(64, 64);
  ASSERT_TRUE(r.ok());
  // Zero is the zero point: borders look like the inside.
  const auto black = r->maps(picture(64, 64, 1, 0));
  for (const int32_t v : black->conv_acc_int32) EXPECT_EQ(v, 0);
  const auto grey = r->maps(picture(64, 64, 1, 100));
  const auto at = [&](int y, int x) {
    return grey->conv_acc_int32[static_cast<size_t>((y * 64 + x) * 8)];
  };
  EXPECT_EQ(at(20, 20), at(40, 33));
  EXPECT_NE(at(0, 0), at(20, 20));
  EXPECT_EQ(grey->pool_output_int8[static_cast<size_t>((5 * 16 + 5) * 8)],
            grey->conv_output_int8[static_cast<size_t>((20 * 64 + 20) * 8)]);
}

TEST(FlowReplica, ShiftsSizesAndErrors) {
  auto r = FlowReplica::make(32, 48);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->pooled_height(), 8);
  EXPECT_EQ(r->pooled_width(), 12);
  const Tensor a = noise(32, 48, 5);
  EXPECT_GT(r->compute(a, moved(a, 0, 8))->vx, 0.3);
  EXPECT_LT(r->compute(a, moved(a, 0, -8))->vx, -0.3);
  EXPECT_GT(r->compute(a, moved(a, 8, 0))->vy, 0.3);
  EXPECT_NEAR(r->compute(a, a)->vx, 0.0, 1e-6);
  EXPECT_EQ(code_of(r->compute(a, picture(32, 32, 1, 0))), ErrorCode::module_input);
  EXPECT_EQ(code_of(FlowReplica::make(30, 30)), ErrorCode::module_input);
  ReplicaOptions coarse;
  coarse.conv_scale = 0.01;
  auto other = FlowReplica::make(32, 48, coarse);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->maps(a)->final_uint8, r->maps(a)->final_uint8);
}

TEST(FlowReplica, IsCloseToTheTwin) {
  auto r = FlowReplica::make(64, 64);
  auto flow = OpticalFlow::from_template(64, {}, true, {"tflite"});
  ASSERT_TRUE(r.ok() && flow.ok() && flow->open().ok());
  const Tensor a = noise(64, 64, 31);
  const Bytes twin = *flow->extract_features_raw(a), replica = r->maps(a)->final_uint8;
  ASSERT_EQ(twin.size(), replica.size());
  for (size_t i = 0; i < twin.size(); ++i) {
    ASSERT_LE(std::abs(static_cast<int>(twin[i]) - static_cast<int>(replica[i])), 1) << i;
  }
}

}  // namespace
}  // namespace edgetwin::robotics
