// SOFTMAX, L2_NORMALIZATION, and LOGISTIC and TANH of 16 bits: fast and plain operators must give
// the same bytes and the same findings, on every instruction set of this machine and for any number
// of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

class RowNetwork {
 public:
  explicit RowNetwork(uint64_t seed) : engine_(seed) {}

  // Rows of one element, short ones, and those for which a table of all results is made.
  void softmax(bool chip) {
    constexpr int kOnes[] = {1, 2, 31, 255, 256, 257, 511, 512, 3000, 20000};
    const DType type = eight_bits();
    const bool words = !chip && type == DType::int8 && between(0, 3) == 0;
    const DType out = words ? DType::int16 : type;
    const int64_t length = between(0, 2) == 0 ? kOnes[between(0, 9)] : between(1, 700);
    const Shape shape = {between(1, length < 300 ? 20 : 4), length};
    const float steps = words ? 65536.0F : 256.0F;
    const int zero = words ? -32768 : type == DType::int8 ? -128 : 0;
    const float scale = std::exp(static_cast<float>(between(-700, 0)) / 100.0F);
    add(type, shape, Quant::affine(scale, between(-5, 5) + 5 * (type == DType::uint8 ? 1 : 0)));
    add(out, shape, Quant::affine(1.0F / steps, zero));
    finish(OpKind::softmax, SoftmaxAttrs{.beta = 1.0F});
  }
  void l2_normalization() {
    const DType type = eight_bits();
    const Shape shape = {between(1, 3), between(0, 3) == 0 ? between(1, 40) : between(30, 3000)};
    const int low = type == DType::uint8 ? 0 : -128;
    add(type, shape, Quant::affine(0.1F, low + between(0, 255)));
    add(type, shape, Quant::affine(1.0F / 128, type == DType::uint8 ? 128 : 0));
    finish(OpKind::l2_normalization, ActivationAttrs{});
  }
  // All 65536 numbers, whatever the scale is.
  void sigmoid() {
    const Shape shape = {65536};
    const float scale = between(0, 2) == 0
                            ? std::ldexp(1.0F, between(-20, 3))
                            : std::exp(static_cast<float>(between(-1800, 200)) / 100);
    add(DType::int16, shape, Quant::affine(scale, 0));
    add(DType::int16, shape, Quant::affine(1.0F / 32768, 0));
    for (int i = 0; i < 65536; ++i) {
      const auto x = static_cast<int16_t>(i - 32768);
      std::memcpy(input_.data() + 2 * i, &x, sizeof x);
    }
    const bool tanh = between(0, 1) == 0;
    finish(tanh ? OpKind::tanh : OpKind::logistic, NoAttrs{});
  }

  struct Outcome {
    Bytes bytes;
    std::vector<std::string> findings;
    std::string path;
    bool operator==(const Outcome& o) const { return bytes == o.bytes && findings == o.findings; }
  };

  Outcome run(const std::string& numerics, bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = numerics, .threads = threads, .fast = fast, .isa = isa});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    EXPECT_TRUE(session->set_input(0, input_).ok());
    EXPECT_TRUE(session->run().ok());
    Outcome o{session->output(0).data, {}, session->steps()[0].path};
    for (const Finding& f : session->run_findings()) o.findings.push_back(f.message);
    return o;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  DType eight_bits() { return between(0, 1) == 0 ? DType::int8 : DType::uint8; }
  void add(DType type, const Shape& shape, const Quant& quant) {
    Value v;
    v.name = graph_.values.empty() ? "x" : "y";
    v.dtype = type;
    v.shape = shape;
    v.quant = quant;
    if (graph_.values.empty()) {
      // Often a part of the range only: zeros, the lowest numbers, one number alone.
      const int most = between(0, 2) == 0 ? between(0, 20) : 255;
      input_.resize(static_cast<size_t>(shape.elements()) * byte_size(type));
      for (std::byte& b : input_) b = static_cast<std::byte>(between(0, most));
    }
    graph_.values.push_back(std::move(v));
  }
  template <class Attrs>
  void finish(OpKind kind, const Attrs& attrs) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    op.inputs = {0};
    op.outputs = {1};
    graph_.ops = {op};
    graph_.inputs = {0};
    graph_.outputs = {1};
  }

  std::mt19937_64 engine_;
  Graph graph_;
  Bytes input_;
};

uint64_t row_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261128 : std::strtoull(text, nullptr, 10);
}

template <class Make>
void compare_rows(const std::string& numerics, int networks, const Make& make) {
  int fast = 0;
  for (int i = 0; i < networks; ++i) {
    RowNetwork network(row_seed() + static_cast<uint64_t>(i));
    make(network);
    const auto plain = network.run(numerics, false, "", 1);
    ASSERT_FALSE(plain.bytes.empty());
    EXPECT_EQ(plain.path, "plain");
    for (const kernels::Isa isa : kernels::available_isas()) {
      const std::string name(kernels::name(isa));
      const auto other = network.run(numerics, true, name, 1 + i % 3);
      EXPECT_TRUE(other == plain) << numerics << " network " << i << " on " << name;
      if (other.path != "plain") ++fast;
    }
  }
  EXPECT_GE(fast, kernels::best_isa() == kernels::Isa::plain ? 0 : networks / 2);
}

void compare_softmax(const std::string& numerics, int networks) {
  compare_rows(numerics, networks, [&](RowNetwork& n) { n.softmax(numerics == "edgetpu"); });
}

TEST(FastRows, SoftmaxDoubleRounding) { compare_softmax("tflite", 400); }
TEST(FastRows, SoftmaxSingleRounding) { compare_softmax("tflite-single", 400); }
TEST(FastRows, SoftmaxEdgeTpu) { compare_softmax("edgetpu", 300); }
TEST(FastRows, L2NormalizationDoubleRounding) {
  compare_rows("tflite", 300, [](RowNetwork& n) { n.l2_normalization(); });
}
TEST(FastRows, L2NormalizationSingleRounding) {
  compare_rows("tflite-single", 300, [](RowNetwork& n) { n.l2_normalization(); });
}
TEST(FastRows, SigmoidsOfAllWords) {
  compare_rows("tflite", 60, [](RowNetwork& n) { n.sigmoid(); });
}

}  // namespace
}  // namespace edgetwin::exec
