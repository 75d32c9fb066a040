// Random networks whose tensors do not fit the chip, with branches that meet: what is on the chip
// gives the twin's bytes.
#include <algorithm>
#include <cstdlib>

#include "instrumented.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// EDGETWIN_RANDOM_NETWORKS: how many. Each takes some seconds.
uint32_t strip_networks() {
  const char* given = std::getenv("EDGETWIN_RANDOM_NETWORKS");
  if (given != nullptr) return static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
  return kInstrumented ? 1 : 12;
}

class LargeNetwork : public FamilyNetwork {
 public:
  explicit LargeNetwork(uint32_t seed)
      : FamilyNetwork(seed % 2 == 0 ? Trained::int8 : Trained::uint8, seed) {}

  Graph any_large() {
    ValueId at = input(side(), side(), 4);
    at = conv(at, channels(), 3, 1 + below(2), false);
    for (int n = 2 + below(4); n > 0; --n) at = block(at);
    return ends({conv(at, 8, 3)});
  }

 private:
  int side() {
    if (side_ == 0) side_ = 128 + 32 * below(6);
    return side_;
  }
  int channels() { return 16 * (1 + below(6)); }

  ValueId block(ValueId at) {
    const auto same = static_cast<int>(shape(at)[3]);
    switch (below(8)) {
      case 0:
        return sum(at, conv(conv(conv(at, 16), 16, 3), same, 1, 1, false));
      case 1: {
        const ValueId wide = conv(at, channels(), 1, 1, false);
        return product(wide, logistic(wide));
      }
      case 2:
        return join_along(3, {conv(at, channels(), 3), conv(at, channels())}, true);
      case 3:
        return greatest_of(at, 2, 2, false);
      case 4:
        return conv(at, channels(), 3, 2);
      case 5: {
        const ValueId small = conv(greatest_of(at, 2, 2, false), channels(), 3);
        const ValueId up = nearest(small, 2, 2);
        same_quantization(up, small);
        return join_along(3, {conv(up, 16, 3), at}, true);
      }
      case 6: {
        const ValueId small = conv(greatest_of(at, 2, 2, false), channels(), 3);
        return join_along(3, {transposed_conv(small, channels(), 2, 2), at}, true);
      }
      default:
        return conv(at, channels(), 3);
    }
  }

  int side_ = 0;
};

bool is_whole(const Partition& p) {
  return p.groups.size() == 1 &&
         std::ranges::all_of(p.ops, [](const Assignment& a) { return a.group == 0; });
}

bool has_strips(const Partition& p) {
  return std::ranges::any_of(p.groups[0].compiled.ops, [](const PlannedOp& planned) {
    return planned.template_name.find("strips") != std::string::npos;
  });
}

TEST(EdgetpuCompileStrips, RandomNetworksGiveTheTwinsBytes) {
  int strips = 0;
  for (uint32_t seed = 1; seed <= strip_networks(); ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = LargeNetwork(seed).any_large();
    const Partition p = partition_of(graph);
    if (!is_whole(p)) continue;
    strips += has_strips(p) ? 1 : 0;
    expect_twin_bytes(graph);
  }
  RecordProperty("strips", strips);
  if (!kInstrumented) {
    EXPECT_GT(strips, 0);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
