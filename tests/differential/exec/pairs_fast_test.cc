// ADD, SUB and MUL: fast kernels and plain operators must give the same bytes and the same
// findings, with both roundings of TensorFlow Lite and in the Edge TPU's arithmetic, under
// broadcasting, on every instruction set of this machine and for any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "exec/session.h"
#include "kernels/elements/pairs.h"

namespace edgetwin::exec {
namespace {

class PairNetwork {
 public:
  // Small tensors that are broadcast in all ways.
  PairNetwork(uint64_t seed, bool words) : engine_(seed) {
    choose_type(words);
    const Shape full = {between(1, 2), between(1, 9), between(1, 9), between(1, 70)};
    finish(full, between(0, 2) == 0 ? full : thinned(full));
  }
  // A picture large enough for several threads, with a number for each of its few channels.
  static PairNetwork picture(uint64_t seed, bool words) {
    PairNetwork network(seed);
    network.choose_type(words);
    const int channels = network.between(2, 40);
    network.finish({1, network.between(301, 320), network.between(301, 320), channels},
                   {1, 1, 1, channels});
    return network;
  }

  bool multiplies() const { return graph_.ops[0].kind == OpKind::mul; }

  struct Outcome {
    bool made = false;
    Bytes bytes;
    std::vector<std::string> findings;
    std::string path;
    bool operator==(const Outcome& o) const { return bytes == o.bytes && findings == o.findings; }
  };

  Outcome run(const std::string& numerics, bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = numerics, .threads = threads, .fast = fast, .isa = isa});
    if (!session.ok()) return {};
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      EXPECT_TRUE(session->set_input(i, data_[static_cast<size_t>(graph_.inputs[i])]).ok());
    }
    EXPECT_TRUE(session->run().ok());
    Outcome o{true, session->output(0).data, {}, session->steps()[0].path};
    for (const Finding& f : session->run_findings()) o.findings.push_back(f.message);
    return o;
  }

 private:
  explicit PairNetwork(uint64_t seed) : engine_(seed) {}

  void choose_type(bool words) {
    type_ = words ? DType::int16 : between(0, 1) == 0 ? DType::int8 : DType::uint8;
  }

  void finish(const Shape& full, const Shape& other) {
    const bool second = between(0, 1) == 0;
    add("a", second ? full : other, scale(), false);
    add("b", second ? other : full, scale(), between(0, 3) == 0);
    add("y", full, scale(), false);
    Op op;
    constexpr OpKind kKinds[] = {OpKind::add, OpKind::sub, OpKind::mul};
    op.kind = kKinds[between(0, 2)];
    BinaryAttrs attrs;
    if (between(0, 2) == 0) attrs.activation = Activation::relu6;
    op.attrs = attrs;
    op.inputs = {0, 1};
    op.outputs = {2};
    graph_.ops = {op};
    graph_.inputs = {0};
    if (!graph_.values[1].is_constant()) graph_.inputs.push_back(1);
    graph_.outputs = {2};
  }

  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  float scale() {
    if (between(0, 2) == 0) return std::ldexp(1.0F, between(-6, 2));
    return std::exp(static_cast<float>(between(-600, 200)) / 100.0F);
  }
  int zero() {
    if (type_ == DType::int16) return 0;
    const int low = type_ == DType::uint8 ? 0 : -128;
    return between(0, 3) == 0 ? low + 255 * between(0, 1) : between(low, low + 255);
  }
  Shape thinned(const Shape& full) {
    Shape shape;
    for (int i = 0; i < full.rank(); ++i) shape.push_back(between(0, 1) == 0 ? 1 : full[i]);
    return shape;
  }

  void add(const std::string& name, const Shape& shape, float scale, bool constant) {
    Value v;
    v.name = name;
    v.dtype = type_;
    v.shape = shape;
    v.quant = Quant::affine(scale, zero());
    Bytes bytes(static_cast<size_t>(shape.elements()) * byte_size(type_));
    for (std::byte& b : bytes) b = static_cast<std::byte>(between(0, 255));
    // The ends of the range, side by side.
    if (type_ == DType::int16) bytes[0] = std::byte{0}, bytes[1] = std::byte{0x80};
    if (constant) v.constant = std::make_shared<const Bytes>(bytes);
    data_.push_back(std::move(bytes));
    graph_.values.push_back(std::move(v));
  }

  std::mt19937_64 engine_;
  DType type_{};
  Graph graph_;
  std::vector<Bytes> data_;
};

uint64_t first_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261123 : std::strtoull(text, nullptr, 10);
}

template <class Make>
void compare(const std::string& numerics, bool words, int networks, const Make& make) {
  int fast = 0, made = 0;
  for (int i = 0; i < networks; ++i) {
    const PairNetwork network = make(first_seed() + static_cast<uint64_t>(i), words);
    const auto plain = network.run(numerics, false, "", 1);
    if (!plain.made) continue;
    ++made;
    EXPECT_EQ(plain.path, "plain");
    for (const kernels::Isa isa : kernels::available_isas()) {
      const auto other = network.run(numerics, true, std::string(kernels::name(isa)), 1 + i % 3);
      EXPECT_TRUE(plain == other) << numerics << " network " << i << " on " << kernels::name(isa);
      if (other.path != "plain") ++fast;
    }
  }
  EXPECT_GT(made, networks / 3);
  const bool has_kernel = kernels::pair_kernel(kernels::best_isa()) != nullptr;
  EXPECT_GE(fast, has_kernel ? made / 2 : 0);
}

void compare(const std::string& numerics, bool words, int networks) {
  compare(numerics, words, networks,
          [](uint64_t seed, bool of_words) { return PairNetwork(seed, of_words); });
}

TEST(FastPairs, DoubleRounding) { compare("tflite", false, 600); }
TEST(FastPairs, SingleRounding) { compare("tflite-single", false, 600); }
TEST(FastPairs, EdgeTpu) { compare("edgetpu", false, 600); }
TEST(FastPairs, WordsDoubleRounding) { compare("tflite", true, 300); }
TEST(FastPairs, WordsSingleRounding) { compare("tflite-single", true, 300); }
TEST(FastPairs, PicturesInParts) {
  compare("tflite", false, 12, &PairNetwork::picture);
  compare("tflite", true, 6, &PairNetwork::picture);
  compare("edgetpu", false, 6, &PairNetwork::picture);
}

// (-32768)^2 is the one product that leaves 32 bits once it is doubled.
TEST(FastPairs, LargestProductOfWords) {
  int products = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const PairNetwork network(seed, true);
    if (!network.multiplies()) continue;
    const auto plain = network.run("tflite", false, "", 1),
               fast = network.run("tflite", true, "", 1);
    if (!plain.made || fast.path == "plain") continue;
    EXPECT_TRUE(plain == fast) << "network " << seed;
    ++products;
  }
  EXPECT_GE(products, kernels::pair_kernel(kernels::best_isa()) != nullptr ? 20 : 0);
}

}  // namespace
}  // namespace edgetwin::exec
