// What an operator may ask of a target's arithmetic. An operator (src/ops) is a walk over the
// data, written once; the rules here are what differs between chips and runtime versions: how an
// accumulator starts, takes a product and is finished, how two elements are added, how a window is
// averaged, how a function is looked up.
//
// Numerics are a type that names its rules:
//
//   struct Numerics {
//     using Accumulate = RuleList<...>;   // AccumulateRule: convolutions, fully connected
//     using Binary     = RuleList<...>;   // BinaryRule: add, sub, mul
//     using Unary      = RuleList<...>;   // UnaryRule: activations, requantization
//     using Pool       = RuleList<...>;   // PoolRule
//     using Reduce     = RuleList<...>;   // ReduceRule: mean, sum
//     using Softmax    = RuleList<...>;   // SoftmaxRule: one row at a time
//     ...                                 // operators that only some targets have
//   };
//
// Of each list an operator takes the first rule whose element types are those of its tensors; a
// type that leaves a list out does not have these operators, and says so when asked to run one.
// Every rule has `static Result<Rule> make(const Spec&)`, which computes its integers from scales
// once and refuses what the target refuses.
//
// Four families are designed for: TensorFlow Lite (tflite/tflite*.h), the Edge TPU's float32
// product rounded half to even, ESP-DL's powers of two with saturating lanes, and MAX7800x Q7 with
// narrow weights. tests/unit/numerics/rules_test.cc runs one convolution in a miniature of each.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/bytes.h"
#include "base/result.h"
#include "numerics/edgetpu_options.h"
#include "tensor/dtype.h"
#include "tensor/quant.h"

namespace edgetwin::numerics {

template <class... Rules>
struct RuleList {};

// The range that a fused activation leaves, in real numbers.
struct RealRange {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// What an accumulating operator knows about its operands.
struct AccumulateSpec {
  Quant in, weight, bias, out;
  ByteSpan bias_data;    // empty: no bias. Rule::Bias elements, one per output channel
  int64_t channels = 0;  // of the output
  RealRange range;
  bool fully_connected = false;  // TensorFlow Lite computes its multiplier in another precision
  bool depthwise = false;        // TensorFlow Lite's uint8 kernel always rounds twice
  bool allow_undefined = false;  // compute something where the target has no defined result
  EdgetpuOptions edgetpu = {};
};

// Sums of products. `channel` is the output channel. The walk calls `mac` in the order kernel row,
// kernel column, input channel, and never for taps outside the picture.
template <class R>
concept AccumulateRule = requires(const R& r, typename R::Acc acc, typename R::In x,
                                  typename R::Weight w, int channel, const AccumulateSpec& spec) {
  typename R::Out;
  typename R::Bias;
  { R::make(spec) } -> std::same_as<Result<R>>;
  { r.start(channel) } -> std::same_as<typename R::Acc>;
  { r.mac(acc, x, w, channel) } -> std::same_as<typename R::Acc>;
  { r.finish(acc, channel) } -> std::same_as<typename R::Out>;
  // True if the sum is the same in any order (nothing saturates on the way): only then may a
  // fast kernel stand in.
  { R::kExactSum } -> std::convertible_to<bool>;
};

// A rule may also have `Acc tap_end(Acc, int channel)`: called after the channels of each tap,
// where some vector units saturate.
template <AccumulateRule R>
typename R::Acc end_of_tap(const R& rule, typename R::Acc acc, int channel) {
  if constexpr (requires { rule.tap_end(acc, channel); }) return rule.tap_end(acc, channel);
  return acc;
}

enum class BinaryKind : uint8_t { add, sub, mul, div, pow, mod };

struct BinarySpec {
  BinaryKind kind = BinaryKind::add;
  Quant a, b, out;
  RealRange range;
  bool pot_scale_int16 = false;
  // Of the innermost run under broadcasting: its length, and whether an operand stays at one
  // element along it. ESP-DL chooses its arithmetic by them.
  int64_t inner = 1;
  bool a_stays = false, b_stays = false;
  int64_t a_elements = 1, b_elements = 1;
  // The second operand's number, as stored, where it is a constant of nothing but this number. The
  // Edge TPU's compiler makes something else of such sums.
  std::optional<int32_t> b_number = {};
  bool allow_undefined = false;
  EdgetpuOptions edgetpu = {};
  bool real_additions = false;  // ESP-DL: Add and Sub in real numbers where exponents differ
};

template <class R>
concept BinaryRule = requires(const R& r, typename R::Element x, const BinarySpec& spec) {
  { R::make(spec) } -> std::same_as<Result<R>>;
  { r(x, x) } -> std::same_as<typename R::Element>;
};

enum class UnaryKind : uint8_t {
  relu,
  relu_n1_to_1,
  relu6,
  logistic,
  tanh,
  hard_swish,
  requantize,
  leaky_relu,
  elu,
  swish,
  hard_sigmoid,
  exp,
  log,
  sqrt,
  neg,
  gelu
};

struct UnarySpec {
  UnaryKind kind = UnaryKind::relu;
  Quant in, out;
  float alpha = 0.0F, beta = 0.0F;  // leaky_relu, elu, hard_sigmoid
  int64_t elements = 0;             // of the tensor: ESP-DL chooses its arithmetic by it
  EdgetpuOptions edgetpu = {};
};

template <class R>
concept UnaryRule = requires(const R& r, typename R::In x, const UnarySpec& spec) {
  typename R::Out;
  { R::make(spec) } -> std::same_as<Result<R>>;
  { r(x) } -> std::same_as<typename R::Out>;
};

enum class PoolKind : uint8_t { average, max };

struct PoolSpec {
  PoolKind kind = PoolKind::average;
  Quant in, out;
  RealRange range;
  int area = 1;  // of the window, taps in the padding counted
  EdgetpuOptions edgetpu = {};
};

// `count` is the number of taps inside the picture, at least 1.
template <class R>
concept PoolRule = requires(const R& r, typename R::Acc acc, typename R::Element x, int count,
                            const PoolSpec& spec) {
  { R::make(spec) } -> std::same_as<Result<R>>;
  { r.start() } -> std::same_as<typename R::Acc>;
  { r.take(acc, x) } -> std::same_as<typename R::Acc>;
  { r.finish(acc, count) } -> std::same_as<typename R::Element>;
};

enum class ReduceKind : uint8_t {
  mean,
  sum,
  max,
  min,
  prod,
  l1,
  l2,
  log_sum,
  log_sum_exp,
  sum_square
};

struct ReduceSpec {
  ReduceKind kind = ReduceKind::mean;
  Quant in, out;
  int64_t count = 1;  // elements that go into one result
  bool allow_undefined = false;
  EdgetpuOptions edgetpu = {};
};

template <class R>
concept ReduceRule = requires(const R& r, typename R::Acc acc, typename R::Element x,
                              const ReduceSpec& spec) {
  { R::make(spec) } -> std::same_as<Result<R>>;
  { r.start() } -> std::same_as<typename R::Acc>;
  { r.take(acc, x) } -> std::same_as<typename R::Acc>;
  { r.finish(acc) } -> std::same_as<typename R::Element>;
};

struct SoftmaxSpec {
  Quant in, out;
  float beta = 1.0F;
  bool logarithm = false;
  EdgetpuOptions edgetpu = {};
};

// One row: n inputs, n outputs.
template <class R>
concept SoftmaxRule = requires(const R& r, const typename R::In* x, typename R::Out* y, int64_t n,
                               const SoftmaxSpec& spec) {
  { R::make(spec) } -> std::same_as<Result<R>>;
  r.row(x, n, y);
};

}  // namespace edgetwin::numerics
