// ADD, SUB, MUL, pooling and reductions of TensorFlow Lite.
// Source: kernel specification 3.1 to 3.4.
#pragma once

#include <vector>

#include "numerics/tflite/common.h"

namespace edgetwin::numerics::tflite {

// ADD and SUB of 8 bits (3.1), and of 16 bits with general scales.
template <class T, Requantization R>
struct Binary {
  using Element = T;
  static constexpr int kLeftShift = sizeof(T) == 1 ? 20 : 15;

  BinaryKind kind{};
  int32_t zero_a = 0, zero_b = 0, zero_out = 0;
  QuantizedMultiplier ma, mb, mo;
  Range range{};
  bool pot = false;  // 16 bits with power-of-two scales: inputs are only shifted
  int shift_a = 0, shift_b = 0;
  // 8 bits: each input's half of a sum, for all 256 stored values (indexed by their bits).
  std::vector<int32_t> halves_a = {}, halves_b = {};

  static Result<Binary> make(const BinarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.a, "input 0"));
    EDGETWIN_TRY(need_affine(spec.b, "input 1"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Binary rule;
    rule.kind = spec.kind;
    rule.zero_a = zero_point(spec.a);
    rule.zero_b = zero_point(spec.b);
    rule.zero_out = zero_point(spec.out);
    rule.range = activation_range<T>(spec.range, spec.out);
    EDGETWIN_TRY(spec.kind == BinaryKind::mul ? rule.make_mul(spec) : rule.make_add(spec));
    return rule;
  }

  T operator()(T a, T b) const {
    if (kind == BinaryKind::mul) {
      const int32_t product = wrapping_mul(a - zero_a, b - zero_b);
      return clamp_to<T>(int64_t{multiply_by_quantized_multiplier<R>(product, mo)} + zero_out,
                         range);
    }
    if (pot) return add_pot(a, b);
    const int32_t x = half(a, zero_a, ma, halves_a);
    const int32_t y = half(b, zero_b, mb, halves_b);
    const int32_t raw = kind == BinaryKind::add ? wrapping_add(x, y) : wrapping_sub(x, y);
    return clamp_to<T>(int64_t{multiply_by_quantized_multiplier<R>(raw, mo)} + zero_out, range);
  }

 private:
  static int32_t half(T v, int32_t zero, QuantizedMultiplier m) {
    return multiply_by_quantized_multiplier<R>((v - zero) * (1 << kLeftShift), m);
  }
  static int32_t half(T v, int32_t zero, QuantizedMultiplier m, const std::vector<int32_t>& table) {
    if constexpr (sizeof(T) == 1) return table[static_cast<uint8_t>(v)];
    return half(v, zero, m);
  }
  static std::vector<int32_t> make_table(int32_t zero, QuantizedMultiplier m) {
    std::vector<int32_t> table;
    for (int bits = 0; bits < 256; ++bits) table.push_back(half(static_cast<T>(bits), zero, m));
    return table;
  }

  Status make_mul(const BinarySpec& spec) {
    // Section 3.2: the full runtime evaluates the quotient in single precision.
    const float product = scale(spec.a) * scale(spec.b);
    EDGETWIN_TRY_ASSIGN(mo, checked_multiplier(static_cast<double>(product / scale(spec.out)), R,
                                               "input scales' product / output scale"));
    return Ok{};
  }

  Status make_add(const BinarySpec& spec) {
    if (sizeof(T) == 2 && spec.pot_scale_int16 && make_pot(spec)) return Ok{};
    const double a = static_cast<double>(scale(spec.a));
    const double b = static_cast<double>(scale(spec.b));
    // The larger scale is doubled in single precision (exact), the quotients are double.
    const double twice = 2.0 * std::max(a, b);
    const double out = static_cast<double>(scale(spec.out));
    EDGETWIN_TRY_ASSIGN(ma, multiplier_below_one(a / twice, R, "scale 0 / (2 * larger scale)"));
    EDGETWIN_TRY_ASSIGN(mb, multiplier_below_one(b / twice, R, "scale 1 / (2 * larger scale)"));
    EDGETWIN_TRY_ASSIGN(
        mo, multiplier_below_one(
                twice / ((1 << kLeftShift) * out), R,
                "2 * larger input scale / (2^" + std::to_string(kLeftShift) + " * output scale)"));
    if (sizeof(T) == 1) {
      halves_a = make_table(zero_a, ma);
      halves_b = make_table(zero_b, mb);
    }
    return Ok{};
  }

  static bool exact_log2(float s, int& log2) {
    const float fraction = std::frexp(s, &log2);
    --log2;
    return fraction == 0.5F;
  }

  // The older 16-bit form: all scales powers of two, one input already at the output's scale.
  bool make_pot(const BinarySpec& spec) {
    int a = 0, b = 0, out = 0;
    if (!exact_log2(scale(spec.a), a) || !exact_log2(scale(spec.b), b) ||
        !exact_log2(scale(spec.out), out)) {
      return false;
    }
    shift_a = out - a;
    shift_b = out - b;
    pot = shift_a >= 0 && shift_b >= 0 && (shift_a == 0 || shift_b == 0) && shift_a < 16 &&
          shift_b < 16;
    return pot;
  }

  T add_pot(T a, T b) const {
    const int32_t x = rounding_divide_by_pot(a, shift_a);
    const int32_t y = rounding_divide_by_pot(b, shift_b);
    const int32_t sum = kind == BinaryKind::add ? x + y : x - y;
    return clamp_to<T>(saturate<T>(sum), range);
  }
};

// Section 3.3. Input and output share scale and zero point by contract.
template <class T>
struct Pool {
  using Element = T;
  using Acc = int32_t;
  PoolKind kind{};
  Range range{};

  static Result<Pool> make(const PoolSpec& spec) {
    return Pool{spec.kind, activation_range<T>(spec.range, spec.out)};
  }
  Acc start() const { return kind == PoolKind::max ? std::numeric_limits<T>::min() : 0; }
  Acc take(Acc acc, T x) const {
    return kind == PoolKind::max ? std::max<int32_t>(acc, x) : acc + x;
  }
  T finish(Acc acc, int count) const {
    if (kind == PoolKind::max) return clamp_to<T>(acc, range);
    // Signed: half away from zero of the stored value; unsigned is the same without a sign.
    const int32_t half = acc > 0 || std::is_unsigned_v<T> ? count / 2 : -(count / 2);
    return clamp_to<T>((acc + half) / count, range);
  }
};

// Section 3.4.
template <class T, Requantization R>
struct Reduce {
  using Element = T;
  using Acc = int64_t;
  int64_t zero_total = 0;  // input zero point times the number of elements
  int32_t zero_out = 0;
  QuantizedMultiplier m;

  static Result<Reduce> make(const ReduceSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Reduce rule;
    rule.zero_total = int64_t{zero_point(spec.in)} * spec.count;
    rule.zero_out = zero_point(spec.out);
    const double ratio = static_cast<double>(scale(spec.in)) / static_cast<double>(scale(spec.out));
    EDGETWIN_TRY_ASSIGN(rule.m, checked_multiplier(ratio, R, "input scale / output scale"));
    if (spec.kind == ReduceKind::mean) rule.divide_by(spec.count);
    return rule;
  }
  Acc start() const { return 0; }
  Acc take(Acc acc, T x) const { return acc + x; }
  T finish(Acc acc) const {
    // The reference sums in 32 bits; the cut is the same at the end.
    const auto centred = static_cast<int32_t>(static_cast<uint32_t>(acc - zero_total));
    return clamp_to<T>(int64_t{multiply_by_quantized_multiplier<R>(centred, m)} + zero_out,
                       kFullRange<T>);
  }

 private:
  // The division by n goes into the multiplier, with as many more bits as fit.
  void divide_by(int64_t n) {
    int log2 = 0;
    while ((n >> (log2 + 1)) != 0) ++log2;
    const int k = std::max(0, std::min({log2, 32, 31 + m.shift}));
    m.multiplier = static_cast<int32_t>((int64_t{m.multiplier} << k) / n);
    m.shift -= k;
  }
};

}  // namespace edgetwin::numerics::tflite
