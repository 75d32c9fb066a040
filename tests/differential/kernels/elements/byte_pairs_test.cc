// Sums and products of bytes by less arithmetic: the same as the long way for all pairs of bytes,
// for runs of every length, whether an operand moves or stays.
#include "kernels/elements/byte_pairs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/elements/pairs.h"

namespace edgetwin::kernels {
namespace {

using numerics::Requantization;

class RandomPairs {
 public:
  explicit RandomPairs(uint64_t seed) : engine_(seed) {
    is_unsigned_ = seed % 2 == 1;
    middle_ = is_unsigned_ ? 128 : 0;
    a_ = scale();
    b_ = scale();
    out_ = std::max(a_, b_) * (0.7 + 0.001 * between(0, 1000));
  }

  std::optional<PairConstants> sum(Requantization rounding) {
    PairConstants k = common(PairForm::halves);
    const double twice = 2 * std::max(a_, b_);
    k.less_b = between(0, 1) == 1;
    const auto a = stage(a_ / twice, rounding, 255, 20), b = stage(b_ / twice, rounding, 255, 20);
    const auto out = stage(twice / ((1 << 20) * out_), rounding, 1 << 28, 0);
    if (!a || !b || !out) return std::nullopt;
    k.a = *a;
    k.b = *b;
    k.out = *out;
    return k;
  }

  std::optional<PairConstants> product(Requantization rounding) {
    PairConstants k = common(PairForm::product);
    const auto out = stage(a_ * b_ / (a_ * b_ * 0.001 * between(20000, 90000)), rounding, 65025, 0);
    if (!out) return std::nullopt;
    k.out = *out;
    return k;
  }

  PairConstants chip(bool is_product) {
    PairConstants k = common(is_product ? PairForm::float_product : PairForm::float_sum);
    k.weight_a = between(1, 32767);
    k.weight_b = between(-32767, 32767);
    k.number = between(-1000, 1000);
    k.factor = static_cast<float>(is_product ? 0.01 * a_ : 0.00003 * (1 + a_));
    k.float_low = static_cast<float>(k.low - k.zero_out);
    k.float_high = static_cast<float>(k.high - k.zero_out);
    return k;
  }

  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }

 private:
  double scale() {
    return static_cast<double>(static_cast<float>(std::exp(0.01 * between(-500, -150))));
  }
  static std::optional<FixedStage> stage(double m, Requantization rounding, int64_t most,
                                         int scaled) {
    return fixed_stage(numerics::quantize_multiplier(m, rounding), rounding, -most, most, scaled);
  }
  PairConstants common(PairForm form) {
    PairConstants k;
    k.form = form;
    k.mask = is_unsigned_ ? 255 : -1;
    k.zero_a = middle_ + between(-128, 127);
    k.zero_b = middle_ + between(-128, 127);
    k.zero_out = middle_ + between(-128, 127);
    k.low = between(0, 3) == 0 ? k.zero_out : middle_ - 128;
    k.high = middle_ + 127;
    return k;
  }

  std::mt19937_64 engine_;
  bool is_unsigned_ = false;
  int middle_ = 0;
  double a_ = 0, b_ = 0, out_ = 0;
};

constexpr int kBytes = 256;
constexpr std::byte kUntouched{0x5A};

// Of a run of `count` elements that begins `at` bytes into all bytes, and what lies after it.
template <class Kernel, class Constants>
std::vector<std::byte> results(Kernel kernel, const Constants& constants, int first, int at,
                               int count, bool swapped) {
  std::array<std::byte, kBytes> bytes;
  for (int i = 0; i < kBytes; ++i) bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i);
  std::vector<std::byte> out(static_cast<size_t>(count) + 40, kUntouched);
  const std::byte* stays = &bytes[static_cast<size_t>(first)];
  const std::byte* moves = &bytes[static_cast<size_t>(at)];
  kernel(constants, PairRun{.a = swapped ? moves : stays,
                            .b = swapped ? stays : moves,
                            .out = out.data(),
                            .count = count,
                            .step_a = swapped ? 1 : 0,
                            .step_b = swapped ? 0 : 1});
  return out;
}

template <class Constants>
void expect_same(const PairConstants& exact, PairKernel long_way, const Constants& shorter,
                 BytePairKernel kernel, RandomPairs& random) {
  for (int first = 0; first < kBytes; ++first) {
    const bool swapped = random.between(0, 1) == 1;
    const int at = random.between(0, 40),
              count = random.between(0, 1) == 0 ? kBytes - at : first % 100 + 1;
    ASSERT_EQ(results(long_way, exact, first, at, count, swapped),
              results(kernel, shorter, first, at, count, swapped))
        << "first " << first << " at " << at << " count " << count;
  }
}

TEST(BytePairs, AllPairsOfMostScales) {
  const PairKernel long_way = pair_kernel(best_isa());
  const BytePairKernel kernel = byte_pair_kernel(best_isa());
  if (kernel == nullptr) GTEST_SKIP() << "this instruction set has no shorter way";
  int made = 0, found = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    RandomPairs random(seed);
    const auto rounding =
        seed % 4 < 2 ? Requantization::double_rounding : Requantization::single_rounding;
    for (const auto& constants : {random.sum(rounding), random.product(rounding)}) {
      if (!constants) continue;
      ++made;
      const auto shorter = byte_pairs(*constants, long_way, kernel);
      if (!shorter) continue;
      ++found;
      expect_same(*constants, long_way, *shorter, kernel, random);
    }
  }
  EXPECT_GT(made, 200);
  EXPECT_GT(found, made * 9 / 10);
}

// Results that lie exactly between two bytes, in an order that no weights tell: scales with small
// quotients. The search must say so instead of taking what is nearly right.
TEST(BytePairs, NothingIsFoundForTies) {
  const PairKernel long_way = pair_kernel(best_isa());
  const BytePairKernel kernel = byte_pair_kernel(best_isa());
  if (kernel == nullptr) GTEST_SKIP() << "this instruction set has no shorter way";
  const auto stage = [](double m, int64_t most, int scaled) {
    const auto rounding = Requantization::double_rounding;
    return *fixed_stage(numerics::quantize_multiplier(m, rounding), rounding, -most, most, scaled);
  };
  PairConstants k;
  k.low = -128;
  k.high = 127;
  k.a = stage(0.5, 255, 20);
  k.b = stage(0.3, 255, 20);
  k.out = stage(0.1 / ((1 << 20) * 0.06), 1 << 28, 0);
  EXPECT_FALSE(byte_pairs(k, long_way, kernel));
}

// The Edge TPU's, where a tie of any pair must be counted: whole vectors beside single elements.
TEST(BytePairs, TiesOfTheChipAreCounted) {
  const PairKernel kernel = pair_kernel(best_isa());
  if (kernel == nullptr) GTEST_SKIP() << "no kernel for this instruction set";
  int64_t all_ties = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomPairs random(seed);
    PairConstants k = random.chip(seed % 3 == 0);
    if (seed % 5 == 0) k.factor = std::ldexp(1.0F, -9);
    int64_t ties = 0, single_ties = 0;
    for (int first = 0; first < kBytes; first += 5) {
      k.ties = &ties;
      const auto whole = results(kernel, k, first, 0, kBytes, seed % 2 == 1);
      k.ties = &single_ties;
      for (int at = 0; at < kBytes; ++at) {
        const auto one = results(kernel, k, first, at, 1, seed % 2 == 1);
        ASSERT_EQ(one[0], whole[static_cast<size_t>(at)]) << "seed " << seed;
      }
    }
    EXPECT_EQ(ties, single_ties) << "seed " << seed;
    all_ties += ties;
  }
  EXPECT_GT(all_ties, 0);
}

}  // namespace
}  // namespace edgetwin::kernels
