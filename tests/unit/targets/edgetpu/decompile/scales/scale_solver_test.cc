// Scales of small networks whose numbers are made from known ones.
#include "targets/edgetpu/decompile/scales/scale_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "numerics/edgetpu/elementwise.h"

namespace edgetwin::edgetpu {
namespace {

// Makes the laws of layers from true scales, which the solver does not see.
class ScaledNetwork {
 public:
  explicit ScaledNetwork(uint32_t seed) : random_(seed) {}

  size_t tensor(float scale) {
    scales_.push_back(scale);
    problem_.anchors.push_back(0.0F);
    return scales_.size() - 1;
  }
  size_t tensor() { return tensor(std::exp(uniform(-5.0F, 0.0F))); }
  void anchor(size_t t) { problem_.anchors[t] = scales_[t]; }

  void conv(size_t in, size_t out, int channels) {
    ScaleLaw law;
    law.in = in;
    law.out = out;
    for (int c = 0; c < channels; ++c) {
      const float weight = std::exp(uniform(-7.0F, -3.0F));
      law.wanted.push_back(chip_multiplier(scales_[in], weight, scales_[out]));
    }
    problem_.laws.push_back(law);
    limits(out);
  }
  void add(size_t a, size_t b, size_t out) {
    const auto w = numerics::edgetpu::add_weights(scales_[a], scales_[b]);
    const float m = (scales_[a] / static_cast<float>(w.a)) * (1.0F / scales_[out]);
    problem_.laws.push_back(sum_law(a, b, out, m, w.a, w.b));
    limits(out);
  }
  void limits(size_t t) {
    const int zero = 90 + static_cast<int>(t % 60);
    const float inverse = 1.0F / scales_[t];
    problem_.limits.push_back({t, zero, Activation::none,
                               (static_cast<float>(-zero) * scales_[t]) * inverse,
                               (static_cast<float>(255 - zero) * scales_[t]) * inverse});
  }
  void never(size_t in, size_t out) {
    // No product of two floats near gives both of these, one step apart, with so small numbers.
    problem_.laws.push_back(
        {.kind = ScaleLawKind::rescale, .in = in, .out = out, .wanted = {1.5F}});
    problem_.laws.push_back(
        {.kind = ScaleLawKind::rescale, .in = in, .out = out, .wanted = {1.25F}});
  }

  size_t missed(const std::vector<float>& s) const {
    const auto of = [&](size_t t) { return t == kNoTensor ? 0.0F : s[t]; };
    size_t n = 0;
    for (const ScaleLaw& l : problem_.laws)
      n += holds(l, of(l.in), of(l.second), of(l.out)) ? 0 : 1;
    for (const ScaleLimits& l : problem_.limits) n += holds(l, s[l.tensor]) ? 0 : 1;
    return n;
  }
  const ScaleProblem& problem() const { return problem_; }
  const std::vector<float>& truth() const { return scales_; }

 private:
  float uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(random_() % 65536) / 65536.0F;
  }
  std::mt19937 random_;
  std::vector<float> scales_;
  ScaleProblem problem_;
};

constexpr uint32_t kAll = 1U << 23U;

TEST(ScaleSolver, ChainsOfConvolutions) {
  ScaledNetwork n(1);
  size_t last = n.tensor();
  n.anchor(last);
  for (int i = 0; i < 6; ++i) {
    const size_t next = n.tensor();
    n.conv(last, next, i % 2 == 0 ? 1 : 24);
    last = next;
  }
  n.anchor(last);
  ASSERT_EQ(n.missed(n.truth()), 0U);
  const auto s = solve_scales(n.problem(), {.tries = kAll});
  EXPECT_EQ(n.missed(s), 0U);
  EXPECT_EQ(s.front(), n.truth().front());
  EXPECT_EQ(s.back(), n.truth().back());
}

// Residual blocks: projection + shortcut, where each sum couples three scales.
TEST(ScaleSolver, ResidualChains) {
  for (const uint32_t seed : {2U, 3U}) {
    ScaledNetwork n(seed);
    const size_t in = n.tensor();
    n.anchor(in);
    size_t x = n.tensor();
    n.conv(in, x, 24);
    for (int block = 0; block < 3; ++block) {
      const size_t wide = n.tensor();
      const size_t narrow = n.tensor();
      const size_t sum = n.tensor();
      n.conv(x, wide, 96);
      n.conv(wide, narrow, 24);
      n.add(narrow, x, sum);
      x = sum;
    }
    ASSERT_EQ(n.missed(n.truth()), 0U);
    const auto s = solve_scales(n.problem(), {.tries = kAll});
    // Hundreds of channels leave next to no freedom.
    EXPECT_EQ(n.missed(s), 0U) << seed;
  }
}

// Sums of the last two: where weights are a fraction of small numbers, one operand does not tell
// the other, and only the order in which the laws are taken finds all of them.
TEST(ScaleSolver, LongChainsOfSums) {
  for (const uint32_t seed : {6U, 18U}) {
    ScaledNetwork n(seed);
    size_t before = n.tensor();
    n.anchor(before);
    size_t x = before;
    for (int i = 0; i < 160; ++i) {
      const size_t sum = n.tensor();
      n.add(x, before, sum);
      before = x;
      x = sum;
    }
    n.anchor(x);
    ASSERT_EQ(n.missed(n.truth()), 0U);
    EXPECT_EQ(n.missed(solve_scales(n.problem(), {.tries = kAll})), 0U) << seed;
  }
}

// Sums down and up through levels, as detectors have them, between convolutions of many channels;
// operands have one scale, so that many pairs have their quotient. A search that tries again what
// was in vain, or goes back step by step, is at its end before it finds any.
class Pyramid : public ScaledNetwork {
 public:
  Pyramid(uint32_t seed, int cells) : ScaledNetwork(seed) {
    constexpr int kLevels = 4;
    const size_t in = tensor();
    anchor(in);
    std::vector<size_t> map;
    for (int k = 0; k < kLevels; ++k) map.push_back(layers(in));
    for (int cell = 0; cell < cells; ++cell) {
      const std::vector<size_t> before = map;
      for (size_t k = kLevels - 1; k-- > 0;) map[k] = layers(sum(before[k], map[k + 1]));
      for (size_t k = 1; k < kLevels; ++k) {
        const size_t both = sum(map[k], map[k - 1]);
        map[k] = layers(k + 1 < kLevels ? sum(both, before[k]) : both);
      }
    }
    for (const size_t m : map) {
      const size_t out = tensor();
      conv(m, out, kChannels);
      anchor(out);
    }
  }

 private:
  static constexpr int kChannels = 48;
  size_t layers(size_t in) {
    const size_t between = tensor();
    const size_t out = tensor(0.0235F);
    conv(in, between, kChannels);
    conv(between, out, kChannels);
    return out;
  }
  size_t sum(size_t a, size_t b) {
    const size_t out = tensor(2.0F * truth()[a]);
    add(a, b, out);
    return out;
  }
};

TEST(ScaleSolver, PyramidsOfSums) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    const Pyramid n(seed, 2);
    ASSERT_EQ(n.missed(n.truth()), 0U);
    const auto s = solve_scales(n.problem(), {.tries = kAll});
    EXPECT_EQ(n.missed(s), 0U) << seed;
    EXPECT_EQ(solve_scales(n.problem(), {.tries = kAll, .threads = 3}), s) << seed;
  }
}

TEST(ScaleSolver, WhatCannotHoldIsMissedAndTheRestIsExact) {
  ScaledNetwork n(4);
  const size_t a = n.tensor();
  const size_t b = n.tensor();
  const size_t c = n.tensor();
  n.conv(a, b, 16);
  n.never(b, c);
  n.conv(c, a, 16);
  const auto s = solve_scales(n.problem(), {.tries = 1U << 12U});
  for (const float x : s) EXPECT_TRUE(usable_scale(x));
  EXPECT_GE(n.missed(s), 1U);
  EXPECT_LE(n.missed(s), 4U);
}

TEST(ScaleSolver, TheSameProblemGivesTheSameScales) {
  ScaledNetwork n(5);
  const size_t a = n.tensor();
  const size_t b = n.tensor();
  const size_t c = n.tensor();
  n.conv(a, b, 8);
  n.add(a, b, c);
  EXPECT_EQ(solve_scales(n.problem(), {.tries = kAll}), solve_scales(n.problem(), {.tries = kAll}));
}

// A sum couples three tensors without a list: mantissas of one of them are read, in many
// parts.
TEST(ScaleSolver, AnyNumberOfThreadsGivesTheSameScales) {
  constexpr uint32_t kMany = 1U << 20U;
  for (const uint32_t seed : {6U, 7U, 8U}) {
    ScaledNetwork n(seed);
    const size_t a = n.tensor();
    const size_t b = n.tensor();
    const size_t c = n.tensor();
    const size_t d = n.tensor();
    n.conv(a, b, seed == 8 ? 2 : 64);
    n.add(a, b, c);
    n.conv(c, d, 32);
    if (seed == 7) n.never(d, c);
    const auto s = solve_scales(n.problem(), {.tries = kMany});
    for (const int threads : {2, 3}) {
      EXPECT_EQ(solve_scales(n.problem(), {.tries = kMany, .threads = threads}), s) << seed;
    }
  }
}

TEST(ScaleSolver, NothingToSolve) {
  EXPECT_TRUE(solve_scales({}, {.tries = kAll}).empty());
  ScaleProblem lonely;
  lonely.anchors = {0.0F, 0.5F};
  const auto s = solve_scales(lonely, {.tries = kAll});
  EXPECT_TRUE(usable_scale(s[0]));
  EXPECT_EQ(s[1], 0.5F);
}

}  // namespace
}  // namespace edgetwin::edgetpu
