// Convolutions in the Edge TPU's arithmetic: fast kernels and plain operators must give the same
// bytes and count the same ties, on every instruction set of this machine and with every option.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

uint64_t base_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

// One convolution with few steps between results, so that ties are frequent.
class Layer {
 public:
  explicit Layer(uint64_t seed, bool large = false)
      : random_(seed), unsigned_(random_.one_in(2)), large_(large) {
    const bool depthwise = random_.one_in(2);
    const int in = random_.between(1, 40);
    const int out = depthwise ? in : random_.between(1, 70);
    const int kernel = random_.one_in(3) ? 1 : random_.between(2, 5);
    const int size = random_.between(1, 12);
    op_.kind = depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d;
    Conv2DAttrs attrs;
    attrs.stride_h = attrs.stride_w = random_.between(1, 2);
    if (random_.one_in(3)) attrs.activation = Activation::relu6;
    op_.attrs = attrs;
    add("x", {1, size, size, in}, Quant::affine(0.5F, zero()), false);
    Quant weight = Quant::affine(0.25F, unsigned_ ? zero() : 0);
    if (!unsigned_ && random_.one_in(2)) {
      weight.axis = depthwise ? 3 : 0;
      weight.scale.clear(), weight.zero_point.clear();
      for (int c = 0; c < out; ++c) {
        weight.scale.push_back(random_.one_in(2) ? 0.125F : 0.001F * static_cast<float>(c + 1));
        weight.zero_point.push_back(0);
      }
    }
    add("w", depthwise ? Shape{1, kernel, kernel, out} : Shape{out, kernel, kernel, in}, weight,
        true);
    add_bias(out);
    const int places = (size + attrs.stride_h - 1) / attrs.stride_h;
    add("y", {1, places, places, out},
        Quant::affine(large_              ? 20000.0F
                      : random_.one_in(2) ? 1.0F
                                          : 16.0F * static_cast<float>(kernel * kernel),
                      zero()),
        false);
    op_.inputs = {0, 1, 2};
    op_.outputs = {3};
    graph_.ops = {op_};
    graph_.inputs = {0};
    graph_.outputs = {3};
  }

  struct Outcome {
    Bytes bytes;
    std::vector<std::string> findings;
    std::string path;
  };

  Outcome run(const std::string& numerics, bool fast, const std::string& isa) {
    auto session = Session::create(std::make_shared<const Graph>(graph_),
                                   {.numerics = numerics, .threads = 2, .fast = fast, .isa = isa});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    EXPECT_TRUE(session->set_input(0, input_).ok());
    EXPECT_TRUE(session->run().ok());
    Outcome o{session->output(0).data, {}, session->steps()[0].path};
    for (const Finding& f : session->run_findings()) o.findings.push_back(f.message);
    return o;
  }

 private:
  int zero() { return unsigned_ ? random_.between(0, 255) : random_.between(-128, 127); }

  Bytes random_bytes(int64_t count) {
    Bytes bytes(static_cast<size_t>(count));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_.between(0, 255));
    return bytes;
  }

  void add(const std::string& name, const Shape& shape, const Quant& quant, bool constant) {
    Value v;
    v.name = name;
    v.dtype = unsigned_ ? DType::uint8 : DType::int8;
    v.shape = shape;
    v.quant = quant;
    if (constant) v.constant = std::make_shared<const Bytes>(random_bytes(shape.elements()));
    if (name == "x") input_ = random_bytes(shape.elements());
    graph_.values.push_back(std::move(v));
  }

  void add_bias(int channels) {
    Value v;
    v.name = "b";
    v.dtype = DType::int32;
    v.shape = {channels};
    Bytes bytes(static_cast<size_t>(channels) * 4);
    for (int c = 0; c < channels; ++c) {
      const int32_t b =
          large_ ? random_.between(-(1 << 25), 1 << 25) : random_.between(-5000, 5000);
      std::memcpy(bytes.data() + 4 * c, &b, sizeof b);
    }
    v.constant = std::make_shared<const Bytes>(std::move(bytes));
    graph_.values.push_back(std::move(v));
  }

  Random random_;
  bool unsigned_;
  bool large_;  // sums beyond 2^24 and within the limits
  Graph graph_;
  Op op_;
  Bytes input_;
};

TEST(EdgetpuFast, EqualsThePlainOperatorsAndCountsTheSameTies) {
  size_t with_ties = 0;
  for (uint64_t i = 0; i < 150; ++i) {
    Layer layer(base_seed() + i);
    const auto plain = layer.run("edgetpu", false, "");
    with_ties += plain.findings.empty() ? 0 : 1;
    for (const kernels::Isa isa : kernels::available_isas()) {
      const auto fast = layer.run("edgetpu", true, std::string(name(isa)));
      ASSERT_EQ(fast.bytes, plain.bytes) << "seed " << base_seed() + i << ", " << fast.path;
      ASSERT_EQ(fast.findings, plain.findings) << "seed " << base_seed() + i << ", " << fast.path;
    }
  }
  EXPECT_GT(with_ties, 20U);
}

TEST(EdgetpuFast, CountsSumsThatAreNoFloats) {
  size_t with_large = 0;
  for (const char* numerics : {"edgetpu", "edgetpu:large-sums=truncate"}) {
    for (uint64_t i = 0; i < 60; ++i) {
      Layer layer(base_seed() + i, true);
      const auto plain = layer.run(numerics, false, "");
      with_large += plain.findings.empty() ? 0 : 1;
      for (const kernels::Isa isa : kernels::available_isas()) {
        const auto fast = layer.run(numerics, true, std::string(name(isa)));
        ASSERT_EQ(fast.bytes, plain.bytes) << numerics << ", seed " << base_seed() + i;
        ASSERT_EQ(fast.findings, plain.findings) << numerics << ", seed " << base_seed() + i;
        const bool plain_path = isa == kernels::Isa::plain || numerics[7] != 0;
        if (plain_path) continue;
        EXPECT_NE(fast.path, "plain") << "seed " << base_seed() + i;
      }
    }
  }
  EXPECT_GT(with_large, 60U);
}

TEST(EdgetpuFast, EqualsThePlainOperatorsWithOtherOptions) {
  for (const char* numerics :
       {"edgetpu:ties=away", "edgetpu:ties=up", "edgetpu:ties=floor", "edgetpu:ties=truncate",
        "edgetpu:zero-point=before", "edgetpu:zero-point=before,ties=away"}) {
    for (uint64_t i = 0; i < 25; ++i) {
      Layer layer(base_seed() + i);
      const auto plain = layer.run(numerics, false, "");
      for (const kernels::Isa isa : kernels::available_isas()) {
        const auto fast = layer.run(numerics, true, std::string(name(isa)));
        ASSERT_EQ(fast.bytes, plain.bytes) << numerics << ", seed " << base_seed() + i;
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::exec
