// Whole sessions of ESP-DL graphs: with fast kernels and with plain operators only. Results must be
// equal, and so must be what the run has to say about lanes that left their range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int between(int low, int high) {
    const auto span = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int>(engine_() % span);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[between(0, static_cast<int>(from.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

uint64_t base_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}

const std::vector<std::string> kArithmetics = {"espdl-c", "espdl-s3", "espdl-s3-wide", "espdl-p4",
                                               "espdl-p4-wide"};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes data(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return data;
}

// Builds a chain of operators, each on the last one's output.
class Builder {
 public:
  Builder(uint64_t seed, bool wide) : random(seed), wide_(wide) {}

  Random random;
  Graph graph;
  ValueId last = 0;
  std::string text;  // what was built, for failures

  DType type() const { return wide_ ? DType::int16 : DType::int8; }
  Shape shape() const { return graph.value(last).shape; }
  int exponent() const { return graph.value(last).quant.exponent[0]; }

  void begin(const Shape& shape, int exponent) {
    last = add(type(), shape, exponent);
    graph.inputs = {last};
  }
  void end() { graph.outputs = {last}; }

  void conv(bool depthwise) {
    const Shape in = shape();
    Conv2DAttrs a;
    const int k = random.pick({1, 1, 2, 3, 5}), kw = random.pick({1, k, 3});
    a.stride_h = random.pick({1, 1, 2});
    a.stride_w = random.pick({1, 1, 2, 3});
    a.dilation_h = random.one_in(4) ? 2 : 1;
    a.dilation_w = random.one_in(4) ? 2 : 1;
    a.padding = {Padding::Kind::given, random.between(0, k - 1), random.between(0, kw - 1),
                 random.between(0, k - 1), random.between(0, kw - 1)};
    const auto out = [](int64_t n, int before, int after, int dilation, int size, int stride) {
      return (n + before + after - dilation * (size - 1) - 1) / stride + 1;
    };
    const bool fits = in[1] + a.padding.top + a.padding.bottom > a.dilation_h * (k - 1) &&
                      in[2] + a.padding.left + a.padding.right > a.dilation_w * (kw - 1);
    if (!fits) return;
    const int64_t channels = depthwise ? in[3] : random.pick({1, 3, 8, 15, 16, 17, 32, 35, 48, 70});
    const Shape to{1, out(in[1], a.padding.top, a.padding.bottom, a.dilation_h, k, a.stride_h),
                   out(in[2], a.padding.left, a.padding.right, a.dilation_w, kw, a.stride_w),
                   channels};
    a.activation = random.one_in(2) ? Activation::relu : Activation::none;
    const Shape w = depthwise ? Shape{1, k, kw, channels} : Shape{channels, k, kw, in[3]};
    text += (depthwise ? " depthwise " : " conv ") + to_string(in) + " by " + to_string(w);
    weighted(depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, a, w, to,
             k * kw * (depthwise ? 1 : in[3]), channels, depthwise);
  }

  void fully_connected() {
    const Shape in = shape();
    const int64_t channels = random.pick({1, 7, 16, 17, 40, 64});
    FullyConnectedAttrs a;
    a.keep_num_dims = true;
    a.activation = random.one_in(2) ? Activation::relu : Activation::none;
    Shape to = in;
    to[in.rank() - 1] = channels;
    const Shape w{channels, in.back(0)};
    text += " fc " + to_string(in) + " by " + to_string(w);
    weighted(OpKind::fully_connected, a, w, to, in.back(0), channels, false);
  }

  void pool() {
    PoolAttrs a;
    const Shape in = shape();
    if (in[1] < 2 || in[2] < 2) return;
    a.padding.kind = Padding::Kind::given;
    a.filter_h = a.filter_w = 2;
    a.stride_h = a.stride_w = random.between(1, 2);
    const Shape to{1, (in[1] - 2) / a.stride_h + 1, (in[2] - 2) / a.stride_w + 1, in[3]};
    text += " pool";
    unary(random.one_in(2) ? OpKind::max_pool_2d : OpKind::average_pool_2d, a, to, exponent());
  }

  void table() {
    if (wide_) return;
    std::vector<int8_t> t(256);
    const int low = random.between(-128, 0), high = random.between(low, 127);
    for (int8_t& v : t) v = static_cast<int8_t>(random.between(low, high));
    const int e = random.between(-7, -3);
    const ValueId id = add(DType::int8, {256}, e);
    graph.value(id).constant = std::make_shared<const Bytes>(bytes_of(t));
    text += " table";
    unary(OpKind::swish, NoAttrs{}, shape(), e);
    graph.ops.back().table = id;
  }

  void simple() {
    text += " simple";
    switch (random.between(0, 3)) {
      case 0:
        return unary(OpKind::relu, NoAttrs{}, shape(), exponent() + random.between(-1, 1));
      case 1:
        return unary(OpKind::quantize, NoAttrs{}, shape(), exponent() + random.between(-2, 2));
      case 2:
        return unary(OpKind::logistic, NoAttrs{}, shape(), wide_ ? -15 : -7);
      default:
        return unary(OpKind::reshape, ReshapeAttrs{{1, -1, 1, static_cast<int>(shape()[3])}, false},
                     {1, shape()[1] * shape()[2], 1, shape()[3]}, exponent());
    }
  }

  // Of two inputs: rows of depth k by k x n, stored in any order.
  void matmul() {
    const int64_t k = random.between(1, 400), n = random.pick({1, 5, 8, 16, 17, 33, 40});
    const int64_t batch = random.between(1, 2);
    begin({batch, random.between(1, 9), k}, -6);
    const ValueId right = add(type(), {batch, k, n}, -6);
    graph.inputs.push_back(right);
    MatMulAttrs a;
    using Order = MatMulAttrs::Order;
    a.rhs_order = random.pick({Order::rows, Order::columns, Order::blocks});
    a.block = wide_ ? 8 : 16;
    a.activation = random.one_in(2) ? Activation::relu : Activation::none;
    const int shift = wide_ ? random.between(12, 24) : random.between(6, 15);
    const ValueId left = last;
    text += " matmul " + to_string(shape()) + " by " + to_string(graph.value(right).shape);
    unary(OpKind::matmul, a, {batch, shape()[1], n}, -12 + shift);
    graph.ops.back().inputs = {left, right};
  }

  // The last value with itself, or with an earlier one of the same shape.
  void binary() {
    const OpKind kind = random.pick({OpKind::add, OpKind::sub, OpKind::mul});
    ValueId other = last;
    for (const Op& op : graph.ops) {
      const Value& v = graph.value(op.outputs[0]);
      if (v.shape == shape() && v.dtype == type()) other = op.outputs[0];
    }
    const int e = kind == OpKind::mul
                      ? exponent() + graph.value(other).quant.exponent[0] + random.between(4, 10)
                      : exponent();
    const ValueId first = last;
    text += " binary";
    unary(kind, BinaryAttrs{}, shape(), e);
    graph.ops.back().inputs = {first, other};
  }

 private:
  ValueId add(DType dtype, const Shape& shape, int exponent) {
    Value v;
    v.name = "v" + std::to_string(graph.values.size());
    v.dtype = dtype;
    v.shape = shape;
    v.quant = Quant::power_of_two(exponent);
    graph.values.push_back(v);
    return static_cast<ValueId>(graph.values.size() - 1);
  }

  void unary(OpKind kind, Attrs attrs, const Shape& to, int e) {
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.inputs = {last};
    last = add(type(), to, std::clamp(e, -25, 25));
    op.outputs = {last};
    graph.ops.push_back(op);
  }

  // How large the weights of a channel are: most stay in range, some do not, some come back.
  int weight(int style, int64_t at, int64_t taps) {
    const int most = wide_ ? 32767 : 127;
    switch (style) {
      case 0:
        return random.between(-2, 2);
      case 1:
        return random.between(-most / 8, most / 8);
      case 2:
        return at * 2 < taps ? random.between(most / 2, most) : -random.between(most / 2, most);
      case 3:
        return random.one_in(40) ? -most - 1 : 0;
      default:
        return random.between(-most - 1, most);
    }
  }

  template <class W, class B>
  void fill(ValueId w, ValueId bias, int64_t taps, int64_t channels, bool depthwise) {
    std::vector<W> weights(static_cast<size_t>(taps * channels));
    std::vector<B> biases;
    const int only = random.one_in(3) ? random.between(0, 4) : -1;
    for (int64_t o = 0; o < channels; ++o) {
      const int style = only >= 0 ? only : random.between(0, 4);
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t at = depthwise ? k * channels + o : o * taps + k;
        weights[static_cast<size_t>(at)] = static_cast<W>(weight(style, k, taps));
      }
      int64_t b = random.between(-5000, 5000);
      if (random.one_in(8)) b = random.pick({524287, -524288, 524288, -600000, 1 << 20, 400000});
      if (random.one_in(60)) b = random.pick({INT32_MAX, INT32_MIN, INT32_MAX - 100000});
      if (sizeof(B) == 8 && random.one_in(4)) {
        b = random.pick({(int64_t{1} << 39) - 1, -(int64_t{1} << 39), int64_t{1} << 39,
                         int64_t{1} << 41, -(int64_t{1} << 38), int64_t{1} << 36});
      }
      biases.push_back(static_cast<B>(b));
    }
    graph.value(w).constant = std::make_shared<const Bytes>(bytes_of(weights));
    if (bias != kAbsent)
      graph.value(bias).constant = std::make_shared<const Bytes>(bytes_of(biases));
  }

  void weighted(OpKind kind, Attrs attrs, const Shape& w, const Shape& to, int64_t taps,
                int64_t channels, bool depthwise) {
    const int e_w = random.between(-12, -5);
    const ValueId x = last;
    const ValueId weights = add(type(), w, e_w);
    // An exponent per channel, which only the ESP32-P4 has: a few so small that shifts leave a
    // word.
    if (!wide_ && random.one_in(6)) {
      Quant& q = graph.value(weights).quant;
      q.axis = depthwise ? 3 : 0;
      q.exponent.assign(static_cast<size_t>(channels), e_w);
      for (int& e : q.exponent) e -= random.one_in(10) ? random.between(15, 40) : 0;
    }
    const bool has_bias = !random.one_in(5);
    const ValueId bias =
        has_bias ? add(wide_ ? DType::int64 : DType::int32, {channels}, exponent() + e_w) : kAbsent;
    if (wide_) {
      fill<int16_t, int64_t>(weights, bias, taps, channels, depthwise);
    } else {
      fill<int8_t, int32_t>(weights, bias, taps, channels, depthwise);
    }
    int shift = wide_ ? random.between(10, 26) : random.between(5, 15);
    if (random.one_in(20)) shift = random.pick({0, 1, 30, 31, 32, 33, 36});
    text += " shift " + std::to_string(shift);
    unary(kind, std::move(attrs), to, exponent() + e_w + shift);
    Op& op = graph.ops.back();
    op.inputs = {x, weights};
    if (has_bias) op.inputs.push_back(bias);
  }

  bool wide_;
};

Bytes random_input(const Builder& b, ValueId id, uint64_t seed) {
  Random random(seed);
  const auto n = static_cast<size_t>(b.graph.value(id).shape.elements());
  const int64_t row = b.graph.value(id).shape.back(0);
  const int style = random.pick({0, 1, 1, 2, 3, 3});
  const int most = b.type() == DType::int8 ? 127 : 32767;
  std::vector<int16_t> v(n);
  for (size_t i = 0; i < n; ++i) {
    const int large = random.between(most / 2, most);
    const bool second_half = static_cast<int64_t>(i) % row * 2 >= row;
    v[i] = static_cast<int16_t>(style == 0   ? random.between(-most - 1, most)
                                : style == 1 ? large
                                : style == 2 ? random.between(-20, 20)
                                             : (second_half ? -large : large));
  }
  if (b.type() == DType::int16) return bytes_of(v);
  std::vector<int8_t> narrow(v.begin(), v.end());
  return bytes_of(narrow);
}

struct Outcome {
  bool made = false;
  std::vector<Bytes> results;  // of two runs
  std::vector<std::string> said;
  bool fast = false;
};

Outcome run(const std::shared_ptr<const Graph>& graph, const std::string& numerics, bool fast,
            const std::string& isa, int threads, const std::vector<std::vector<Bytes>>& runs) {
  Outcome o;
  Options options;
  options.numerics = numerics;
  options.fast = fast;
  options.isa = isa;
  options.threads = threads;
  auto session = Session::create(graph, options);
  if (!session.ok()) {
    o.said.push_back(session.error().message);
    return o;
  }
  o.made = true;
  for (const Step& s : session->steps())
    o.fast = o.fast || (s.path != "plain" && s.path != "table");
  for (const std::vector<Bytes>& inputs : runs) {
    for (size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(session->set_input(i, inputs[i]).ok());
    EXPECT_TRUE(session->run().ok());
    o.results.push_back(to_bytes(session->bytes(graph->outputs[0])));
    for (const Finding& f : session->run_findings())
      o.said.push_back(to_text(f.place) + ": " + f.message);
    o.said.push_back("|");
  }
  return o;
}

struct Tally {
  int made = 0, refused = 0, fast = 0, saturated = 0;
};

void compare(const Builder& b, const std::string& numerics, uint64_t seed, Tally& tally) {
  const auto graph = std::make_shared<const Graph>(b.graph);
  std::vector<std::vector<Bytes>> inputs(2);
  uint64_t next = seed;
  for (auto& list : inputs) {
    for (const ValueId id : graph->inputs) list.push_back(random_input(b, id, ++next));
  }
  const Outcome plain = run(graph, numerics, false, "", 1, inputs);
  ++(plain.made ? tally.made : tally.refused);
  if (plain.said.size() > inputs.size()) ++tally.saturated;
  for (const kernels::Isa isa : kernels::available_isas()) {
    const int threads = 1 + static_cast<int>(seed % 2);
    const Outcome fast =
        run(graph, numerics, true, std::string(kernels::name(isa)), threads, inputs);
    const std::string what = numerics + " " + std::string(kernels::name(isa)) + " seed " +
                             std::to_string(seed) + ":" + b.text;
    ASSERT_EQ(fast.made, plain.made) << what;
    ASSERT_EQ(fast.said, plain.said) << what;
    ASSERT_EQ(fast.results, plain.results) << what;
    if (fast.fast) ++tally.fast;
  }
}

void check_layers(bool wide, int kind) {
  Tally tally;
  for (uint64_t i = 0; i < 250; ++i) {
    const uint64_t seed = base_seed() + 1000 * i + (wide ? 1 : 0) + static_cast<uint64_t>(kind) * 7;
    Builder b(seed, wide);
    const int size = b.random.between(1, 9);
    if (kind < 3)
      b.begin({1, size, b.random.between(1, 9), b.random.pick({1, 3, 8, 16, 17, 24, 33, 64})}, -6);
    if (kind == 0) b.conv(false);
    if (kind == 1) b.conv(true);
    if (kind == 4) b.begin({1, 1, 1, b.random.pick({8, 33, 64, 200})}, -6);
    if (kind == 2 || kind == 4) b.fully_connected();
    if (kind == 3) b.matmul();
    b.end();
    if (b.graph.ops.empty()) continue;
    for (const std::string& numerics : kArithmetics) {
      compare(b, numerics, seed, tally);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(tally.made, 200);
  const bool matmul = kind == 3;  // its path is chosen during the run
  EXPECT_GT(tally.fast, matmul ? -1 : 100);
  EXPECT_GT(tally.saturated, matmul && wide ? -1 : 20) << "these layers do not saturate";
}

TEST(EspdlFastLayers, Conv8) { check_layers(false, 0); }
TEST(EspdlFastLayers, Conv16) { check_layers(true, 0); }
TEST(EspdlFastLayers, Depthwise8) { check_layers(false, 1); }
TEST(EspdlFastLayers, Depthwise16) { check_layers(true, 1); }
TEST(EspdlFastLayers, FullyConnected8) { check_layers(false, 2); }
// Lanes compute their channels alone there, and the others are computed apart.
TEST(EspdlFastLayers, FullyConnected8OfOnePixel) { check_layers(false, 4); }
TEST(EspdlFastLayers, MatMul8) { check_layers(false, 3); }
TEST(EspdlFastLayers, MatMul16) { check_layers(true, 3); }
TEST(EspdlFastLayers, FullyConnected16) { check_layers(true, 2); }

TEST(EspdlFastLayers, GraphsOfSeveralOperators) {
  Tally tally;
  for (uint64_t i = 0; i < 150; ++i) {
    const uint64_t seed = base_seed() + 77777 + 100 * i;
    Builder b(seed, i % 3 == 2);
    b.begin({1, 8, 9, b.random.pick({3, 16, 20})}, -6);
    const int length = b.random.between(2, 8);
    for (int k = 0; k < length; ++k) {
      switch (b.random.between(0, 7)) {
        case 0:
        case 1:
          b.conv(false);
          break;
        case 2:
          b.conv(true);
          break;
        case 3:
          b.fully_connected();
          break;
        case 4:
          b.pool();
          break;
        case 5:
          b.table();
          break;
        case 6:
          b.simple();
          break;
        default:
          b.binary();
          break;
      }
    }
    b.end();
    if (b.graph.ops.empty()) continue;
    for (const std::string& numerics : kArithmetics) {
      compare(b, numerics, seed, tally);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(tally.made, 200) << tally.refused << " refused";
  EXPECT_GT(tally.fast, 100);
}

}  // namespace
}  // namespace edgetwin::exec
