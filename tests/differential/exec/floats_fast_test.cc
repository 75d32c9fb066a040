// Convolutions and fully connected layers in single precision: fast and plain operators must give
// the same bits, on every instruction set of this machine and for any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

class FloatNetwork {
 public:
  explicit FloatNetwork(uint64_t seed) : engine_(seed) {}

  void conv() {
    const Shape in = {between(1, 2), between(1, 13), between(1, 13), between(1, 20)};
    const int64_t channels = between(1, 45);
    make_window(in, {channels, between(1, 4), between(1, 4), in[3]}, channels, OpKind::conv_2d, 0);
  }

  void depthwise() {
    const Shape in = {between(1, 2), between(1, 13), between(1, 13), between(1, 45)};
    const int64_t channels = in[3] * (between(0, 4) == 0 ? 2 : 1);
    make_window(in, {1, between(1, 4), between(1, 4), channels}, channels,
                OpKind::depthwise_conv_2d, static_cast<int>(channels / in[3]));
  }

  void dense() {
    const int64_t rows = between(1, 15), depth = between(1, 70), channels = between(1, 50);
    add({rows, depth}, false);
    add({channels, depth}, true);
    if (between(0, 1) == 0) add({channels}, true);
    FullyConnectedAttrs a;
    a.activation = activation();
    finish({rows, channels}, OpKind::fully_connected, a);
  }

  Bytes run(bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = "tflite", .threads = threads, .fast = fast, .isa = isa});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    EXPECT_TRUE(session->set_input(0, input_).ok());
    EXPECT_TRUE(session->run().ok());
    return session->output(0).data;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  Activation activation() { return between(0, 1) == 0 ? Activation::none : Activation::relu6; }
  // Numbers of many sizes, zeros of both signs among them.
  float any_float() {
    const int kind = between(0, 11);
    if (kind == 0) return 0.0F;
    if (kind == 1) return -0.0F;
    return std::ldexp(static_cast<float>(between(-1000, 1000)), between(-14, -2));
  }
  void add(const Shape& shape, bool is_constant) {
    Bytes data(static_cast<size_t>(shape.elements()) * sizeof(float));
    const std::span<float> all(reinterpret_cast<float*>(data.data()), data.size() / sizeof(float));
    for (float& x : all) x = any_float();
    Value v;
    v.name = "v" + std::to_string(graph_.values.size());
    v.dtype = DType::float32;
    v.shape = shape;
    if (is_constant) {
      v.constant = std::make_shared<const Bytes>(std::move(data));
    } else {
      input_ = std::move(data);
    }
    graph_.values.push_back(std::move(v));
  }
  void make_window(const Shape& in, const Shape& filter, int64_t channels, OpKind kind,
                   int multiplier) {
    add(in, false);
    add(filter, true);
    if (between(0, 1) == 0) add({channels}, true);
    Conv2DAttrs a;
    a.padding.kind = Padding::Kind::same;
    a.stride_h = between(1, 3);
    a.stride_w = between(1, 3);
    a.dilation_h = between(1, 2);
    a.dilation_w = between(1, 2);
    a.depth_multiplier = multiplier;
    a.activation = activation();
    finish({in[0], (in[1] + a.stride_h - 1) / a.stride_h, (in[2] + a.stride_w - 1) / a.stride_w,
            channels},
           kind, a);
  }
  template <class Attrs>
  void finish(const Shape& shape, OpKind kind, const Attrs& attrs) {
    Value v;
    v.name = "y";
    v.dtype = DType::float32;
    v.shape = shape;
    graph_.values.push_back(std::move(v));
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    const auto result = static_cast<ValueId>(graph_.values.size() - 1);
    for (ValueId i = 0; i < result; ++i) op.inputs.push_back(i);
    op.outputs = {result};
    graph_.ops = {op};
    graph_.inputs = {0};
    graph_.outputs = {result};
  }

  std::mt19937_64 engine_;
  Graph graph_;
  Bytes input_;
};

void compare_floats(void (FloatNetwork::*make)(), int networks) {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  const uint64_t seed = text == nullptr ? 20261128 : std::strtoull(text, nullptr, 10);
  for (int i = 0; i < networks; ++i) {
    FloatNetwork network(seed + static_cast<uint64_t>(i));
    (network.*make)();
    const Bytes plain = network.run(false, "", 1);
    ASSERT_FALSE(plain.empty());
    for (const kernels::Isa isa : kernels::available_isas()) {
      const std::string name(kernels::name(isa));
      EXPECT_EQ(network.run(true, name, 1 + i % 3), plain) << "network " << i << " on " << name;
    }
  }
}

TEST(FastFloats, Conv) { compare_floats(&FloatNetwork::conv, 200); }
TEST(FastFloats, Depthwise) { compare_floats(&FloatNetwork::depthwise, 200); }
TEST(FastFloats, Dense) { compare_floats(&FloatNetwork::dense, 200); }

}  // namespace
}  // namespace edgetwin::exec
