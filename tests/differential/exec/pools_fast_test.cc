// Pools, means, PRelu, nearest pixels and changes between real numbers and integers: fast and plain
// operators must give the same bytes, on every instruction set of this machine and for any number
// of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

class OneOperator {
 public:
  OneOperator(uint64_t seed, bool powers) : engine_(seed), powers_(powers) {}

  void pool() {
    byte_type();
    const Shape in = {between(1, 2), between(1, 14), between(1, 14), between(1, 90)};
    PoolAttrs a;
    a.filter_h = between(1, static_cast<int>(std::min<int64_t>(in[1], 6)));
    a.filter_w = between(1, static_cast<int>(std::min<int64_t>(in[2], 6)));
    a.stride_h = between(1, 3);
    a.stride_w = between(1, 3);
    a.padding.kind = between(0, 1) == 0 ? Padding::Kind::same : Padding::Kind::valid;
    if (powers_) a.padding.kind = Padding::Kind::given;
    if (!powers_) a.activation = between(0, 1) == 0 ? Activation::none : Activation::relu6;
    add_input(in);
    const auto out = [&](int64_t size, int filter, int stride) {
      const bool same = a.padding.kind == Padding::Kind::same;
      return same ? (size + stride - 1) / stride : (size - filter) / stride + 1;
    };
    const bool max = between(0, 1) == 0;
    add_output(
        {in[0], out(in[1], a.filter_h, a.stride_h), out(in[2], a.filter_w, a.stride_w), in[3]},
        type_, max);
    finish(max ? OpKind::max_pool_2d : OpKind::average_pool_2d, a);
  }

  // More than 256 pixels too: beyond them the sums of 16 bits are emptied.
  void mean() {
    byte_type();
    const bool large = between(0, 3) == 0;
    const Shape in = {between(1, 2), large ? between(15, 40) : between(1, 9), between(1, 20),
                      between(1, 70)};
    add_input(in);
    const bool both = between(0, 2) > 0;
    add_numbers(both ? std::vector<int32_t>{1, 2} : std::vector<int32_t>{between(0, 3)});
    const int32_t axis = numbers_[0];
    Shape out = in;
    out[axis] = 1;
    if (both) out[2] = 1;
    add_output(out, type_, false);
    ReduceAttrs a;
    a.keep_dims = true;
    finish(between(0, 1) == 0 ? OpKind::mean : OpKind::sum, a);
  }

  void quantize() {
    type_ = DType::float32;
    constexpr DType kTypes[] = {DType::int8, DType::uint8, DType::int16};
    const Shape shape = {between(1, 700)};
    add_input(shape);
    add_output(shape, kTypes[between(0, 2)], false);
    graph_.values.back().quant = quant(graph_.values.back().dtype);
    finish(OpKind::quantize, NoAttrs{});
  }

  void dequantize() {
    constexpr DType kTypes[] = {DType::int8, DType::uint8, DType::int16};
    type_ = kTypes[between(0, 2)];
    const Shape shape = {between(1, 700)};
    add_input(shape);
    add_output(shape, DType::float32, false);
    graph_.values.back().quant = {};
    finish(OpKind::dequantize, NoAttrs{});
  }

  // Of ESP-DL, to the nearest pixel, mostly to another exponent.
  void nearest() {
    type_ = DType::int8;
    const Shape in = {1, between(1, 12), between(1, 12), between(1, 40)};
    add_input(in);
    ScaleAttrs a;
    a.sizes = {1, between(1, 30), between(1, 30), in[3]};
    add_output(Shape{std::span<const int64_t>(a.sizes)}, type_, between(0, 2) == 0);
    finish(OpKind::resize, a);
  }

  void prelu() {
    type_ = between(0, 1) == 0 ? DType::int8 : DType::int16;
    const Shape in = {1, between(1, 9), between(1, 9), between(2, 70)};
    add_input(in);
    add_input({in[3]});
    graph_.inputs.pop_back();
    graph_.values[1].constant = std::make_shared<const Bytes>(std::move(inputs_.back()));
    inputs_.pop_back();
    add_output(in, type_, false);
    finish(OpKind::prelu, NoAttrs{});
  }

  // Parts whose quantization differs from the result's.
  void concatenation() {
    type_ = DType::uint8;
    const int64_t rows = between(1, 9);
    const Shape a = {rows, between(1, 80)}, b = {rows, between(1, 80)};
    add_input(a);
    add_input(b);
    add_output({rows, a[1] + b[1]}, type_, false);
    ConcatAttrs attrs;
    attrs.axis = 1;
    finish(OpKind::concatenation, attrs);
  }

  Bytes run(const std::string& numerics, bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = numerics, .threads = threads, .fast = fast, .isa = isa});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    for (size_t i = 0; i < inputs_.size(); ++i) {
      EXPECT_TRUE(session->set_input(i, inputs_[i]).ok());
    }
    EXPECT_TRUE(session->run().ok());
    return session->output(0).data;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  void byte_type() { type_ = powers_ || between(0, 1) == 0 ? DType::int8 : DType::uint8; }
  Quant quant(DType type) {
    if (powers_) return Quant::power_of_two(between(-9, 0));
    const int zero = type == DType::int16  ? 0
                     : type == DType::int8 ? between(-128, 127)
                                           : between(0, 255);
    return Quant::affine(std::ldexp(static_cast<float>(between(100, 200)), between(-14, -8)), zero);
  }
  // Of floats, numbers on halves of steps, beyond every range, and none at all.
  float any_float(float scale) {
    constexpr float kOdd[] = {0.49999997F,
                              -0.49999997F,
                              1e30F,
                              -1e30F,
                              0.0F,
                              -0.0F,
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
    const int kind = between(0, 9);
    if (kind == 0) return kOdd[between(0, 8)];
    const auto steps = static_cast<float>(between(-700, 700));
    return kind < 6 ? steps * 0.5F * scale : steps * scale * 0.3F;
  }
  void add_input(const Shape& shape) {
    Value v;
    v.name = "x" + std::to_string(inputs_.size());
    v.dtype = type_;
    v.shape = shape;
    Bytes data(static_cast<size_t>(shape.elements()) * byte_size(type_));
    if (type_ == DType::float32) {
      const std::span<float> all(reinterpret_cast<float*>(data.data()),
                                 data.size() / sizeof(float));
      for (float& x : all) x = any_float(0.05F);
    } else {
      v.quant = quant(type_);
      const int most = between(0, 2) == 0 ? 3 : 255;
      for (std::byte& b : data) b = static_cast<std::byte>(between(0, most));
    }
    inputs_.push_back(std::move(data));
    graph_.inputs.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back(std::move(v));
  }
  void add_numbers(const std::vector<int32_t>& numbers) {
    numbers_ = numbers;
    Value v;
    v.name = "numbers";
    v.dtype = DType::int32;
    v.shape = {static_cast<int64_t>(numbers.size())};
    v.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(numbers))));
    graph_.values.push_back(std::move(v));
  }
  void add_output(const Shape& shape, DType type, bool like_input) {
    Value v;
    v.name = "y";
    v.dtype = type;
    v.shape = shape;
    v.quant = like_input ? graph_.values[0].quant : quant(type);
    graph_.values.push_back(std::move(v));
  }
  template <class Attrs>
  void finish(OpKind kind, const Attrs& attrs) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    const auto result = static_cast<ValueId>(graph_.values.size() - 1);
    for (ValueId i = 0; i < result; ++i) op.inputs.push_back(i);
    op.outputs = {result};
    graph_.ops = {op};
    graph_.outputs = {result};
  }

  std::mt19937_64 engine_;
  bool powers_ = false;
  DType type_{};
  std::vector<int32_t> numbers_;
  Graph graph_;
  std::vector<Bytes> inputs_;
};

uint64_t pool_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261128 : std::strtoull(text, nullptr, 10);
}

void compare_operators(const std::string& numerics, void (OneOperator::*make)(), int networks,
                       bool powers = false) {
  for (int i = 0; i < networks; ++i) {
    OneOperator network(pool_seed() + static_cast<uint64_t>(i), powers);
    (network.*make)();
    const Bytes plain = network.run(numerics, false, "", 1);
    ASSERT_FALSE(plain.empty()) << numerics << " network " << i;
    for (const kernels::Isa isa : kernels::available_isas()) {
      const std::string name(kernels::name(isa));
      EXPECT_EQ(network.run(numerics, true, name, 1 + i % 3), plain)
          << numerics << " network " << i << " on " << name;
    }
  }
}

TEST(FastPools, Windows) {
  compare_operators("tflite", &OneOperator::pool, 200);
  compare_operators("edgetpu", &OneOperator::pool, 200);
  compare_operators("espdl-p4", &OneOperator::pool, 200, true);
}
TEST(FastPools, Means) {
  compare_operators("tflite", &OneOperator::mean, 200);
  compare_operators("tflite-single", &OneOperator::mean, 100);
  compare_operators("edgetpu", &OneOperator::mean, 200);
}
TEST(FastChanges, QuantizeAndDequantize) {
  compare_operators("tflite", &OneOperator::quantize, 300);
  compare_operators("edgetpu", &OneOperator::quantize, 100);
  compare_operators("tflite", &OneOperator::dequantize, 100);
}
TEST(FastChanges, Slopes) {
  compare_operators("espdl-p4", &OneOperator::prelu, 150, true);
  compare_operators("espdl-s3", &OneOperator::prelu, 150, true);
  compare_operators("espdl-c", &OneOperator::prelu, 150, true);
}
TEST(FastChanges, NearestPixels) {
  compare_operators("espdl-p4", &OneOperator::nearest, 100, true);
  compare_operators("espdl-s3", &OneOperator::nearest, 100, true);
  compare_operators("espdl-c", &OneOperator::nearest, 100, true);
}
TEST(FastChanges, PartsOfAnotherScale) {
  compare_operators("tflite", &OneOperator::concatenation, 100);
  compare_operators("edgetpu", &OneOperator::concatenation, 100);
}

}  // namespace
}  // namespace edgetwin::exec
