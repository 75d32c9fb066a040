#include "kernels/elements/byte_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr int kBytes = 256;
constexpr int kTries = 4;  // that each pair of weights gets: differences shrink to none, or stay

// Missed pairs that no other weights can be the cure of: results that lie on borders.
constexpr int kHopeless = 512;

// The results of all pairs of bytes, a row for each byte of the first operand.
using AllPairs = std::vector<std::byte>;

template <class Kernel, class Constants>
void fill(Kernel kernel, const Constants& constants, AllPairs& results) {
  std::array<std::byte, kBytes> bytes;
  for (int i = 0; i < kBytes; ++i) bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i);
  results.resize(size_t{kBytes} * kBytes);
  for (size_t a = 0; a < kBytes; ++a) {
    kernel(constants, PairRun{.a = &bytes[a],
                              .b = bytes.data(),
                              .out = results.data() + a * kBytes,
                              .count = kBytes,
                              .step_a = 0,
                              .step_b = 1});
  }
}

// What a stage multiplies by.
double slope(const FixedStage& s) {
  return std::ldexp(static_cast<double>(s.multiplier), s.left - 32 - s.right);
}

bool has_floats(PairForm form) {
  return form == PairForm::float_sum || form == PairForm::float_product;
}

// A result is a * x + b * y + number for a sum, a * x * y for a product, from x and y less their
// zero points, and before its own.
struct Slopes {
  double a = 0, b = 0, number = 0;
};

Slopes slopes_of(const PairConstants& c) {
  const double factor = static_cast<double>(c.factor), out = slope(c.out);
  switch (c.form) {
    case PairForm::float_sum:
      return {c.weight_a * factor, c.weight_b * factor, c.number * factor};
    case PairForm::float_product:
      return {factor, 0, 0};
    case PairForm::halves:
      return {slope(c.a) * out, (c.less_b ? -1 : 1) * slope(c.b) * out, 0};
    default:
      return {out, 0, 0};
  }
}

BytePairs limits_of(const PairConstants& c) {
  const bool is_signed = c.mask < 0;
  const int middle = is_signed ? 0 : 128;
  BytePairs p;
  p.flip = is_signed ? 0 : 0x80;
  p.low = c.low - middle;
  p.high = c.high - middle;
  p.zero_a = c.zero_a - middle;
  p.zero_b = c.zero_b - middle;
  p.zero_out = c.zero_out - middle;
  if (has_floats(c.form)) {
    p.low = std::max(p.low, static_cast<int>(std::lround(c.float_low)) + p.zero_out);
    p.high = std::min(p.high, static_cast<int>(std::lround(c.float_high)) + p.zero_out);
  }
  return p;
}

// The addends with which a sum gives what is wanted of one pair of bytes that it misses.
struct Addends {
  int64_t least = INT64_MIN, most = INT64_MAX;
  int missed = 0;

  void meet(const BytePairs& p, int x, int y, int wanted) {
    const int64_t sum = int64_t{x} * p.weight_a + int64_t{y} * p.weight_b;
    const int64_t step = int64_t{1} << p.shift;
    ++missed;
    if (wanted > p.low) least = std::max(least, wanted * step - sum);
    if (wanted < p.high) most = std::min(most, (wanted + 1) * step - 1 - sum);
  }
};

Addends addends_of(const BytePairs& p, const AllPairs& wanted, const AllPairs& found) {
  Addends addends;
  const auto number = [&p](size_t byte) {
    return static_cast<int>(static_cast<int8_t>(static_cast<uint8_t>(byte) ^ p.flip));
  };
  for (size_t a = 0; a < kBytes; ++a) {
    const size_t row = a * kBytes;
    if (std::memcmp(&wanted[row], &found[row], kBytes) == 0) continue;
    for (size_t b = 0; b < kBytes; ++b) {
      if (wanted[row + b] == found[row + b]) continue;
      addends.meet(p, number(a), number(b), number(static_cast<size_t>(wanted[row + b])));
    }
  }
  return addends;
}

// Moves the addend to what the missed pairs ask for, until none is missed: then 0, else as many as
// were missed last.
int find_addend(BytePairs& p, const AllPairs& wanted, BytePairKernel kernel, AllPairs& found) {
  int64_t least = INT64_MIN, most = INT64_MAX;
  int missed = 0;
  for (int i = 0; i < kTries; ++i) {
    fill(kernel, p, found);
    const Addends addends = addends_of(p, wanted, found);
    missed = addends.missed;
    if (missed == 0) break;
    least = std::max(least, addends.least);
    most = std::min(most, addends.most);
    if (least > most) break;
    const int64_t addend = std::clamp<int64_t>(p.addend, least, most);
    if (addend < INT32_MIN || addend > INT32_MAX) break;
    p.addend = static_cast<int32_t>(addend);
  }
  return missed;
}

// Weights with as many bits as 32 leave: |x| and |y| are at most 128, and the result is where the
// zero points put it. One bit is left for the addend to move.
std::optional<BytePairs> weights_of(const PairConstants& c) {
  constexpr double kMost = 1 << 30;
  constexpr int kMostWeight = (1 << 22) - 2, kMostShift = 30;
  const auto [a, b, number] = slopes_of(c);
  BytePairs p = limits_of(c);
  const double offset = p.zero_out + number - a * p.zero_a - b * p.zero_b;
  const double reach = 128 * (std::abs(a) + std::abs(b)) + std::abs(offset) + 1;
  p.shift = kMostShift;
  const double weight = std::max(std::abs(a), std::abs(b));
  while (p.shift > 0 &&
         (std::ldexp(reach, p.shift) > kMost || std::ldexp(weight, p.shift) > kMostWeight)) {
    --p.shift;
  }
  if (p.shift == 0) return std::nullopt;
  p.weight_a = static_cast<int32_t>(std::lround(std::ldexp(a, p.shift)));
  p.weight_b = static_cast<int32_t>(std::lround(std::ldexp(b, p.shift)));
  p.addend = static_cast<int32_t>(std::lround(std::ldexp(offset + 0.5, p.shift)));
  return p;
}

std::optional<BytePairs> byte_sum(const PairConstants& c, const AllPairs& wanted,
                                  BytePairKernel kernel) {
  const auto nominal = weights_of(c);
  if (!nominal) return std::nullopt;
  AllPairs found;
  constexpr int kBeside[] = {0, 1, -1, 2, -2};
  for (const int a : kBeside) {
    for (const int b : kBeside) {
      BytePairs p = *nominal;
      p.weight_a += a;
      p.weight_b += b;
      const int missed = find_addend(p, wanted, kernel, found);
      if (missed == 0) return p;
      if (missed > kHopeless) return std::nullopt;
    }
  }
  return std::nullopt;
}

// Rounded twice, what is half of a last place of the first rounding below a half is rounded up,
// too.
std::optional<BytePairs> byte_product(const PairConstants& c, const AllPairs& wanted,
                                      BytePairKernel kernel) {
  constexpr float kHair = 1.0F / (1 << 18);
  BytePairs p = limits_of(c);
  p.product = true;
  const auto nominal = static_cast<float>(slopes_of(c).a);
  const bool twice = c.form == PairForm::product && c.out.sign == 31;
  const float bias = twice ? std::ldexp(1.0F, -(c.out.right + 1)) : 0.0F;
  AllPairs found;
  for (const float beside : {0.0F, kHair, -kHair}) {
    for (const float factor :
         {nominal, std::nextafter(nominal, 2 * nominal), std::nextafter(nominal, 0.0F)}) {
      p.factor = factor;
      p.bias = std::max(0.0F, bias + beside);
      fill(kernel, p, found);
      if (found == wanted) return p;
    }
  }
  return std::nullopt;
}

}  // namespace

BytePairKernel byte_pair_kernel(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  return byte_pairs_avx2;  // all sets of x86 have AVX2
#else
  return nullptr;
#endif
}

bool has_shorter_way(const PairConstants& c) {
  return c.element_bytes == 1 && c.form != PairForm::less_product;
}

std::optional<BytePairs> byte_pairs(const PairConstants& constants, PairKernel exact,
                                    BytePairKernel kernel) {
  if (!has_shorter_way(constants)) return std::nullopt;
  int64_t ties = 0;
  PairConstants own = constants;
  own.ties = &ties;
  AllPairs wanted;
  fill(exact, own, wanted);
  if (ties != 0) return std::nullopt;
  const bool sum = own.form == PairForm::halves || own.form == PairForm::float_sum;
  return sum ? byte_sum(own, wanted, kernel) : byte_product(own, wanted, kernel);
}

}  // namespace edgetwin::kernels
