// Networks put together at random from what has layers: whatever fits keeps its behaviour and is
// computed by the machine as by the twin.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/targets/max78/convert/conversion_check.h"
#include "unit/targets/max78/convert/net_builder.h"

namespace edgetwin::max78 {
namespace {

struct Known {
  std::string name;
  int64_t channels, size;
};

class RandomNet {
 public:
  explicit RandomNet(uint32_t seed)
      : random_(seed * 2654435761U + 1), net_({1, 4 * pick(1, 4), 8, 8}, seed + 1) {}

  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_.next() >> 8) % (high - low + 1);
  }

  Net& build(int64_t channels) {
    all_.push_back({"x", channels, 8});
    const int64_t steps = pick(3, 9);
    for (int64_t i = 0; i < steps; ++i) step("n" + std::to_string(i));
    net_.output(all_.back().name);
    return net_;
  }
  Net& net() { return net_; }

 private:
  const Known& any() {
    const auto last = static_cast<int64_t>(all_.size()) - 1;
    return all_[static_cast<size_t>(pick(std::max<int64_t>(0, last - 2), last))];
  }

  void conv(const std::string& name) {
    const Known from = any();
    const int64_t out = 4 * pick(1, pick(0, 4) == 0 ? 20 : 8);
    const bool wide = pick(0, 2) != 0;
    const int64_t k = wide ? 3 : 1;
    const int64_t stride = from.size > 3 && pick(0, 4) == 0 ? 2 : 1;
    net_.conv(from.name, name, {out, from.channels, k, k}, wide ? 1 : 0, pick(0, 1) == 0, stride);
    all_.push_back({name, out, (from.size + stride - 1) / stride});
  }

  // A second picture of the same size, made for it.
  void pair(const std::string& name) {
    const Known a = any();
    net_.conv(a.name, name + "b", {a.channels, a.channels, 3, 3}, 1, pick(0, 1) == 0);
    const int64_t kind = pick(0, 3);
    if (kind == 3 && a.channels <= 64) {
      net_.node("Concat", {a.name, name + "b"}, name, {integer_attribute("axis", 1)});
      all_.push_back({name, 2 * a.channels, a.size});
      return;
    }
    net_.node(kind == 0 ? "Sub" : "Add", {name + "b", a.name}, kind == 2 ? name + "s" : name);
    if (kind == 2) net_.node("Relu", {name + "s"}, name);
    all_.push_back({name, a.channels, a.size});
  }

  void pool(const std::string& name) {
    const Known a = any();
    if (a.size < 4) return conv(name);
    net_.pool(pick(0, 1) == 0 ? "MaxPool" : "AveragePool", a.name, name, 2, 2);
    all_.push_back({name, a.channels, a.size / 2});
  }

  void step(const std::string& name) {
    const int64_t kind = pick(0, 5);
    if (kind < 3) return conv(name);
    return kind == 3 ? pool(name) : pair(name);
  }

  XorShift32 random_;
  Net net_;
  std::vector<Known> all_;
};

constexpr uint32_t kNetworks = 40;

TEST(ConvertRandom, NetworksOfAllPatterns) {
  int fit = 0;
  for (uint32_t seed = 0; seed < kNetworks; ++seed) {
    SCOPED_TRACE(seed);
    RandomNet random(seed);
    Net& net = random.build(random.net().channels());
    const Graph graph = net.graph();
    const auto samples = net.samples(2);
    for (const auto device : {ai8x::Device::max78000, ai8x::Device::max78002}) {
      SCOPED_TRACE(ai8x::limits(device).name);
      ConvertSettings s;
      s.device = device;
      s.bits = seed % 3 == 0 ? 4 : 8;
      const auto r = convert(graph, samples, s);
      ASSERT_TRUE(r.ok()) << to_text(r.error());
      if (!r->conversion) {
        ASSERT_FALSE(r->misfits.empty());
        // Only what the format of the device cannot hold; never a rule that a better place keeps.
        for (const Error& e : r->misfits) {
          EXPECT_EQ(e.code, ErrorCode::ai8x_network) << to_text(e);
        }
        continue;
      }
      ++fit;
      const auto noise = measure(*r->conversion, graph, samples, 1);
      ASSERT_TRUE(noise.ok()) << to_text(noise.error());
      EXPECT_GT(quantize::decibels(noise->analysis.output_noise), s.bits == 8 ? 5.0 : -3.0);
      expect_machine_agrees(*r->conversion, samples[0]);
    }
  }
  EXPECT_GT(fit, static_cast<int>(kNetworks));
}

}  // namespace
}  // namespace edgetwin::max78
