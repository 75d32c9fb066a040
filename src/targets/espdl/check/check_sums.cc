// Rules of accumulators: biases and worst-case sums against their width. Specification 4.3.
#include <algorithm>
#include <cstring>

#include "formats/espdl/document/layout.h"
#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::WeightOrder;
using edgetwin::espdl::WeightShape;
using edgetwin::espdl::WeightUse;

// Weights and biases of a node, in plain order.
struct Products {
  WeightShape shape;
  WeightOrder order;
  Bytes plain;
  size_t size = 1;  // bytes of a weight
  std::vector<int64_t> bias;

  int64_t weight(int64_t b, int64_t n, int64_t k) const {
    const int64_t taps = shape.h * shape.w * shape.c;
    const int64_t at = order.use == WeightUse::grouped
                           ? (k / shape.c * shape.n + n) * shape.c + k % shape.c
                           : (b * shape.n + n) * taps + k;
    if (size == 1) return static_cast<int8_t>(plain[static_cast<size_t>(at)]);
    int16_t v = 0;
    std::memcpy(&v, plain.data() + at * 2, 2);
    return v;
  }
};

std::optional<Products> products_of(const Subject& s) {
  const TensorData* data = s.c.constant(s.in(1));
  if (data == nullptr) return std::nullopt;
  if (data->type != (s.s8() ? DataType::int8 : DataType::int16)) return std::nullopt;
  Products p;
  p.size = s.s8() ? 1 : 2;
  p.order.use = s.is("Gemm")               ? WeightUse::gemm
                : s.is("MatMul")           ? WeightUse::matmul
                : s.number("group", 1) > 1 ? WeightUse::grouped
                                           : WeightUse::conv;
  const int block = s.c.vector_chip() ? edgetwin::espdl::vector_block(p.size) : 0;
  p.order.block = block;
  const auto shape = edgetwin::espdl::weight_shape(p.order.use, data->dims);
  if (!shape.ok()) return std::nullopt;
  p.shape = *shape;
  auto plain = edgetwin::espdl::to_ohwi(data->data, p.order, p.shape, p.size);
  if (!plain.ok()) return std::nullopt;
  p.plain = std::move(*plain);
  if (!s.is("MatMul")) {
    if (auto bias = s.c.integers(s.in(2))) p.bias = std::move(*bias);
  }
  return p;
}

// Bits of the accumulator of an output channel.
int width_of(const Subject& s, const Products& p, int64_t n) {
  const bool lane = p.order.use == WeightUse::grouped || p.order.block == 0 ||
                    n < p.shape.n / p.order.block * p.order.block;
  if (s.c.target() == Target::c) return s.s8() ? 32 : 64;
  if (s.c.target() == Target::esp32s3) return s.s8() && lane ? 20 : 40;
  return !lane ? 40 : s.s8() ? 32 : 64;
}

struct Sum {
  int64_t low = 0, high = 0;
  int64_t largest() const { return std::max(-low, high); }
  bool leaves(int bits) const {
    if (bits >= 64) return false;
    const int64_t limit = int64_t{1} << (bits - 1);
    return low < -limit || high >= limit;
  }
};

// The furthest that partial sums of a channel can go in either direction.
Sum worst(const Products& p, int64_t b, int64_t n) {
  const int64_t top = p.size == 1 ? 128 : 32768;
  // Beyond 2^48 a bias is reported by itself; sums of 2^30 products of 2^30 stay below 2^61.
  constexpr int64_t kFar = int64_t{1} << 48;
  const auto at = static_cast<size_t>(n);
  Sum sum;
  sum.low = sum.high = at < p.bias.size() ? std::clamp(p.bias[at], -kFar, kFar) : 0;
  const int64_t taps = p.shape.h * p.shape.w * p.shape.c;
  for (int64_t k = 0; k < taps; ++k) {
    const int64_t w = p.weight(b, n, k);
    sum.high += w > 0 ? w * (top - 1) : -w * top;
    sum.low -= w > 0 ? w * top : -w * (top - 1);
  }
  return sum;
}

// Remembers the worst channel of those that leave their accumulator.
struct Worst {
  int64_t count = 0, total = 0, channel = 0, value = 0;
  int bits = 0;

  void take(int64_t n, int64_t magnitude, int width, bool leaves) {
    ++total;
    if (!leaves) return;
    if (count++ != 0 && magnitude <= value) return;
    channel = n;
    value = magnitude;
    bits = width;
  }
  std::string text(const char* what) const {
    return std::to_string(count) + " of " + std::to_string(total) + " channels; the largest " +
           what + ", " + std::to_string(value) + " in channel " + std::to_string(channel) +
           ", exceeds 2^" + std::to_string(bits - 1) + " = " +
           std::to_string(int64_t{1} << (bits - 1)) + " of " + std::to_string(bits) + " bits";
  }
};

// The ESP32-S3 masks biases of lanes. Specification 3.2.
void check_bias_range(const Subject& s, const Products& p) {
  if (s.c.target() != Target::esp32s3) return;
  Worst found;
  for (int64_t n = 0; n < p.shape.n && n < static_cast<int64_t>(p.bias.size()); ++n) {
    const int64_t v = p.bias[static_cast<size_t>(n)];
    const int bits = width_of(s, p, n);
    // Remainder channels of 8 bits keep their bias whole.
    const bool masked = !s.s8() || bits == 20;
    const int64_t limit = int64_t{1} << (bits - 1);
    const bool leaves = masked && (v < -limit || v >= limit);
    found.take(n, v < 0 ? -(v + 1) : v, bits, leaves);
  }
  if (found.count == 0) return;
  s.say(Rule::bias_range, found.text("bias") + ": it wraps around",
        "Quantize again with a larger exponent of input or weights: the bias becomes smaller.");
}

// A computed operand of MatMul: nothing is known but the length of the sums.
void check_computed(const Subject& s) {
  const auto* a = s.c.dims(s.in(0));
  if (a == nullptr || a->empty() || a->back() < 1 || a->back() > (int64_t{1} << 28)) return;
  const int64_t square = s.s8() ? int64_t{1} << 14 : int64_t{1} << 30;
  const int bits = s.c.target() == Target::esp32s3 ? (s.s8() ? 20 : 40) : s.s8() ? 32 : 64;
  const int64_t value = a->back() * square;
  if (bits >= 64 || value < int64_t{1} << (bits - 1)) return;
  s.say(Rule::partial_sums, std::to_string(a->back()) + " products of up to " +
                                std::to_string(square) + " make " + std::to_string(value) +
                                ", the accumulator ends at 2^" + std::to_string(bits - 1) + " = " +
                                std::to_string(int64_t{1} << (bits - 1)));
}

}  // namespace

void check_sums(const Subject& s) {
  if (!s.quantized() || !s.any_of({"Conv", "Gemm", "MatMul"})) return;
  const auto p = products_of(s);
  if (!p) {
    if (s.is("MatMul") && s.c.constant(s.in(1)) == nullptr) check_computed(s);
    return;
  }
  check_bias_range(s, *p);
  Worst found;
  for (int64_t b = 0; b < p->shape.batch; ++b) {
    for (int64_t n = 0; n < p->shape.n; ++n) {
      const Sum sum = worst(*p, b, n);
      const int bits = width_of(s, *p, n);
      found.take(n, sum.largest(), bits, sum.leaves(bits));
    }
  }
  if (found.count == 0) return;
  s.say(Rule::partial_sums, found.text("sum"),
        "Run the model: a warning tells how many results differ from wide accumulators.");
}

}  // namespace edgetwin::targets::espdl
