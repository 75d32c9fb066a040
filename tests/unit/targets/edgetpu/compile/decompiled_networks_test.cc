// Random networks compiled and decompiled: what is on the chip comes back equal, layer by layer.
#include <cstdlib>
#include <map>

#include "instrumented.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kFirstDecompiled = 7000;
// EDGETWIN_RANDOM_NETWORKS: how many.
uint32_t decompiled_networks() {
  const char* given = std::getenv("EDGETWIN_RANDOM_NETWORKS");
  if (given != nullptr) return static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
  return kInstrumented ? 3 : 40;
}

struct Counts {
  size_t layers = 0, exact = 0, whole = 0, networks = 0;
};

void count(const Model& model, uint32_t seed, Counts& counts) {
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  if (made->partition.groups.empty()) return;
  const auto bytes = tflite::write(made->model);
  ASSERT_TRUE(bytes.ok());
  ProofOptions options;
  options.inputs = 0;
  options.order = false;
  std::vector<ProvenGroup> groups;
  for (const CompiledGroup& g : made->partition.groups) groups.push_back({&g.segment, &g.package});
  const auto proof = prove(model.main(), groups, *bytes, options);
  ASSERT_TRUE(proof.ok()) << to_text(proof.error());
  EXPECT_TRUE(proof->holds()) << why_not(*proof);
  counts.layers += proof->layers;
  counts.exact += proof->decompiled;
  counts.whole += proof->layers == proof->decompiled ? 1 : 0;
  ++counts.networks;
  if (std::getenv("EDGETWIN_RANDOM_NETWORKS") == nullptr) return;
  const auto file = darwinn::read(*bytes, "compiled");
  const auto read = tflite::read(*bytes, "compiled");
  const auto d = decompile(*read, *file);
  const auto c = compare_networks(d->compared().main(), model.main(), program_numbers(d->ops));
  for (const auto& m : c.layers) {
    if (m.exact()) continue;
    std::string text;
    for (const auto& x : m.differences) text += x + "; ";
    printf("SEED %u %s: %s\n", seed, m.source.c_str(), m.decompiled.empty() ? "not found" : text.c_str());
  }
  for (const auto& f : d->findings) printf("SEED %u F %s\n", seed, f.message.substr(0, 120).c_str());
}

TEST(EdgetpuCompileMany, LayersComeBackFromTheirPrograms) {
  Counts counts;
  for (uint32_t seed = kFirstDecompiled; seed < kFirstDecompiled + decompiled_networks(); ++seed) {
    SCOPED_TRACE(seed);
    Model model;
    model.format = "tflite";
    model.graphs.push_back(FamilyNetwork(Trained::any, seed).any());
    count(model, seed, counts);
  }
  printf("%zu of %zu layers, %zu of %zu networks\n", counts.exact, counts.layers, counts.whole, counts.networks);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
