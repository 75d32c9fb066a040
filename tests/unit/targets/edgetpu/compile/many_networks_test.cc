// Random networks of all operators that are compiled: whatever is on the chip passes
// its proof, and whatever is not has a rule.
#include <cstdlib>

#include "instrumented.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kFirstSeed = 3000;
// EDGETWIN_RANDOM_NETWORKS: how many. Each takes about a second.
uint32_t networks() {
  const char* given = std::getenv("EDGETWIN_RANDOM_NETWORKS");
  if (given != nullptr) return static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
  return kInstrumented ? 5 : 60;
}

bool has_a_rule(const Assignment& a) {
  return a.group >= 0 || (a.refusal && !a.refusal->message.empty());
}

TEST(EdgetpuCompileMany, RandomNetworksPassTheirProof) {
  size_t whole = 0, none = 0;
  for (uint32_t seed = kFirstSeed; seed < kFirstSeed + networks(); ++seed) {
    SCOPED_TRACE(seed);
    Model model;
    model.format = "tflite";
    model.graphs.push_back(FamilyNetwork(Trained::any, seed).any());
    ASSERT_TRUE(verify_graph(model.main()).ok());
    const auto made = compile_model(model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    const Partition& p = made->partition;
    EXPECT_TRUE(std::ranges::all_of(p.ops, has_a_rule));
    whole += p.groups.size() == 1 &&
             std::ranges::all_of(p.ops, [](const Assignment& a) { return a.group == 0; });
    none += p.groups.empty() ? 1U : 0U;
    if (!p.groups.empty()) expect_proven(model, *made);
  }
  RecordProperty("whole", static_cast<int>(whole));
  RecordProperty("none", static_cast<int>(none));
  // The others have operators without a known form at their sizes.
  if (!kInstrumented) {
    EXPECT_GE(whole * 3, size_t{networks()});
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
