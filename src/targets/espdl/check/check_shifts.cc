// Rules of shifts: of sums of products, of products, of conversions. Specification 4.3, 4.5;
// "Operators", 3.1.
#include <algorithm>

#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

// The innermost dimension of an element-wise operator after the runtime has merged those in which
// both operands agree to be repeated or not.
int64_t inner_elements(std::vector<int64_t> a, std::vector<int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  int64_t inner = 1;
  std::optional<int> kind;  // 0: both whole, 1: a repeated, 2: b repeated
  for (size_t i = rank; i-- > 0;) {
    if (a[i] == 1 && b[i] == 1) continue;
    const int now = a[i] == b[i] ? 0 : a[i] == 1 ? 1 : 2;
    if (kind && *kind != now) break;
    kind = now;
    const int64_t size = std::max(a[i], b[i]);
    if (size < 1 || size > (int64_t{1} << 31)) return 0;
    inner *= size;
    if (inner > (int64_t{1} << 31)) return int64_t{1} << 31;
  }
  return inner;
}

std::string formula(const Subject& s, int64_t out, int64_t in, int64_t weight) {
  const bool mul = s.is("Mul");
  return std::string("e(output) - ") + (mul ? "e(a) - e(b)" : "e(input) - e(weight)") + " = " +
         std::to_string(out) + " - (" + std::to_string(in) + ") - (" + std::to_string(weight) +
         ") = " + std::to_string(out - in - weight);
}

bool integer_mul(const Subject& s) {
  if (!s.is("Mul")) return true;
  if (!s.c.vector_chip()) return false;
  const auto* a = s.c.dims(s.in(0));
  const auto* b = s.c.dims(s.in(1));
  return a != nullptr && b != nullptr && inner_elements(*a, *b) >= (s.s8() ? 16 : 8);
}

void say_negative(const Subject& s, const std::string& text, size_t count) {
  const bool mul = s.is("Mul");
  const std::string channels = count > 1 ? " in " + std::to_string(count) + " channels" : "";
  if (s.c.vector_chip() && integer_mul(s)) {
    return s.say(Rule::negative_shift, text + channels + ": the vector unit shifts right only",
                 "Quantize again with a larger exponent of the result, or smaller ones of its "
                 "inputs.");
  }
  s.say(Rule::negative_shift, Severity::note,
        text + channels +
            (mul ? ": computed in float here, which can do it"
                 : ": the portable code shifts left and clamps"),
        "The chips with a vector unit cannot execute this model.");
}

void check_product_shift(const Subject& s) {
  const auto in = s.c.exponent(s.in(0));
  const auto out = s.c.exponent(s.out());
  const auto* weights = s.c.exponents(s.in(1));
  if (!in || !out || !s.c.exponent(s.in(1)) || weights == nullptr) return;
  std::string negative;
  std::string wide;
  size_t negatives = 0;
  const int64_t widest = s.s8() ? 31 : 63;
  int64_t lowest = 0;
  int64_t highest = widest;
  for (const int64_t e : *weights) {
    const int64_t w = std::clamp(e, -kFarExponent, kFarExponent);
    const int64_t shift = *out - *in - w;
    if (shift < 0) ++negatives;
    if (shift < lowest) negative = formula(s, *out, *in, w);
    if (shift > highest) wide = formula(s, *out, *in, w);
    lowest = std::min(lowest, shift);
    highest = std::max(highest, shift);
  }
  if (negatives > 0) say_negative(s, "shift " + negative, negatives);
  if (!wide.empty() && integer_mul(s)) {
    s.say(Rule::wide_shift, "shift " + wide + ", at most " + std::to_string(widest) + " bits",
          "Calibrate again with data that reaches this layer.");
  }
}

// Specification 4.5, 5.
void check_factor(const Subject& s) {
  const auto in = s.c.exponent(s.in(0));
  const auto out = s.c.exponent(s.out());
  const auto count = s.c.elements(s.in(0));
  if (!in || !out || !s.c.vector_chip() || (count && *count <= 50)) return;
  const bool in8 = s.c.type(s.in(0)) == DataType::int8;
  const bool out8 = s.c.type(s.out()) == DataType::int8;
  const bool narrow = in8 && out8 && s.c.target() == Target::esp32s3;
  const int64_t most = narrow ? 6 : 14;
  const int64_t k = *in - *out;  // the factor is 2^k
  if (k <= most || (!in8 && !out8)) return;
  s.say(Rule::requantize_factor,
        "exponents " + exponent_list(s, {s.in(0), s.out()}) + ": the factor is 2^(" +
            std::to_string(*in) + " - (" + std::to_string(*out) + ")) = 2^" + std::to_string(k) +
            ", possible are up to 2^" + std::to_string(most) + " in " + (narrow ? "8" : "16") +
            " bits",
        "Convert in two steps, or quantize again with exponents closer to each other.");
}

}  // namespace

void check_shifts(const Subject& s) {
  if (s.quantized() && s.any_of({"Conv", "Gemm", "MatMul", "Mul"})) check_product_shift(s);
  if (s.any_of({"RequantizeLinear", "QuantizeLinear", "Identity"})) check_factor(s);
}

}  // namespace edgetwin::targets::espdl
