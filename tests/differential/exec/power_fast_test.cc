// ADD, SUB, MUL, QuantizeLinear, RequantizeLinear and MatMul of ESP-DL: fast kernels and plain
// operators must give the same bytes and the same findings, for every unit, under broadcasting, on
// every instruction set of this machine and for any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "exec/session.h"
#include "kernels/core/isa.h"

namespace edgetwin::exec {
namespace {

struct Outcome {
  bool made = false;
  Bytes bytes;
  std::vector<std::string> findings;
  std::string path;
  bool operator==(const Outcome& o) const { return bytes == o.bytes && findings == o.findings; }
};

class PowerNetwork {
 public:
  explicit PowerNetwork(uint64_t seed) : engine_(seed) {}

  void pairs() {
    const DType type = word();
    const Shape full = {between(1, 2), between(1, 9), between(1, 9), between(1, 70)};
    const Shape other = between(0, 2) == 0 ? full : thinned(full);
    const bool second = between(0, 1) == 0;
    const int ea = between(-9, 0), eb = between(-9, 0);
    add("a", type, second ? full : other, ea);
    add("b", type, second ? other : full, eb);
    add("y", type, full, ea + eb + between(0, 9));
    constexpr OpKind kKinds[] = {OpKind::add, OpKind::sub, OpKind::mul, OpKind::mul};
    operate(kKinds[between(0, 3)], BinaryAttrs{}, 2);
  }

  void change() {
    const bool real = between(0, 2) == 0;
    const Shape shape = {1, between(1, 9), between(1, 9), between(1, 70)};
    const int e = between(-9, 0);
    add("a", real ? DType::float32 : word(), shape, e);
    add("y", word(), shape, 0);
    graph_.values[1].quant = Quant::power_of_two(std::clamp(e + between(-17, 17), -30, 30));
    operate(OpKind::quantize, NoAttrs{}, 1);
  }

  void product() {
    const DType type = word();
    const int64_t m = between(1, 40), k = between(1, 70), n = between(1, 70);
    add("a", type, {2, m, k}, -4);
    add("b", type, {2, k, n}, -5);
    add("y", type, {2, m, n}, type == DType::int16 ? between(4, 12) : between(-3, 3));
    operate(OpKind::matmul, MatMulAttrs{}, 2);
  }

  Outcome run(const std::string& numerics, bool fast, const std::string& isa, int threads) const {
    auto session =
        Session::create(std::make_shared<const Graph>(graph_),
                        {.numerics = numerics, .threads = threads, .fast = fast, .isa = isa});
    if (!session.ok()) return {};
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      EXPECT_TRUE(session->set_input(i, data_[i]).ok());
    }
    EXPECT_TRUE(session->run().ok());
    Outcome o{true, session->output(0).data, {}, session->steps()[0].path};
    for (const Finding& f : session->run_findings()) o.findings.push_back(f.message);
    return o;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % (static_cast<uint64_t>(high - low) + 1));
  }
  DType word() { return between(0, 1) == 0 ? DType::int8 : DType::int16; }
  Shape thinned(const Shape& full) {
    Shape shape;
    for (int i = 0; i < full.rank(); ++i) shape.push_back(between(0, 1) == 0 ? 1 : full[i]);
    return shape;
  }

  void add(const std::string& name, DType type, const Shape& shape, int exponent) {
    Value v;
    v.name = name;
    v.dtype = type;
    v.shape = shape;
    if (type != DType::float32) v.quant = Quant::power_of_two(exponent);
    Bytes bytes(static_cast<size_t>(shape.elements()) * byte_size(type));
    for (std::byte& b : bytes) b = static_cast<std::byte>(between(0, 255));
    if (type == DType::float32) floats(bytes);
    // The ends of the range, side by side.
    if (type == DType::int16) bytes[0] = std::byte{0}, bytes[1] = std::byte{0x80};
    data_.push_back(std::move(bytes));
    graph_.values.push_back(std::move(v));
  }

  // Ties, numbers beyond every range, and what is not a number.
  void floats(Bytes& bytes) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float special[] = {kInfinity, -kInfinity, 1e30F,
                             -1e30F,    -0.0F,      std::numeric_limits<float>::quiet_NaN()};
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const int kind = between(0, 9);
      const float x = kind == 0  ? special[between(0, 5)]
                      : kind < 5 ? static_cast<float>(between(-70000, 70000)) / 2
                                 : static_cast<float>(between(-1000000, 1000000)) / 777;
      std::memcpy(bytes.data() + i, &x, 4);
    }
  }

  template <class Attrs>
  void operate(OpKind kind, const Attrs& attrs, int inputs) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    for (int i = 0; i < inputs; ++i) op.inputs.push_back(i), graph_.inputs.push_back(i);
    op.outputs = {inputs};
    graph_.ops = {op};
    graph_.outputs = {inputs};
  }

  std::mt19937_64 engine_;
  Graph graph_;
  std::vector<Bytes> data_;
};

uint64_t first_seed() {
  const char* text = std::getenv("EDGETWIN_TEST_SEED");
  return text == nullptr ? 20261124 : std::strtoull(text, nullptr, 10);
}

// Of those networks that can be made at least one in `least_fast` runs on a kernel. A product of
// matrices chooses its kernel when it runs, and its path does not tell.
void compare(const std::string& numerics, void (PowerNetwork::*make)(), int networks,
             int least_fast) {
  int fast = 0, made = 0;
  for (int i = 0; i < networks; ++i) {
    PowerNetwork network(first_seed() + static_cast<uint64_t>(i));
    (network.*make)();
    const auto plain = network.run(numerics, false, "", 1);
    if (!plain.made) continue;
    ++made;
    for (const kernels::Isa isa : kernels::available_isas()) {
      const auto other = network.run(numerics, true, std::string(kernels::name(isa)), 1 + i % 3);
      EXPECT_TRUE(plain == other) << numerics << " network " << i << " on " << kernels::name(isa);
      if (other.path != "plain") ++fast;
    }
  }
  EXPECT_GT(made, networks / 3);
  if (least_fast > 0) {
    EXPECT_GE(fast, made / least_fast);
  }
}

class FastPower : public testing::TestWithParam<const char*> {};

TEST_P(FastPower, Pairs) { compare(GetParam(), &PowerNetwork::pairs, 400, 3); }
TEST_P(FastPower, Changes) { compare(GetParam(), &PowerNetwork::change, 400, 3); }
TEST_P(FastPower, Products) { compare(GetParam(), &PowerNetwork::product, 100, 0); }

INSTANTIATE_TEST_SUITE_P(Units, FastPower,
                         testing::Values("espdl-c", "espdl-s3", "espdl-p4", "espdl-p4-wide"));

}  // namespace
}  // namespace edgetwin::exec
