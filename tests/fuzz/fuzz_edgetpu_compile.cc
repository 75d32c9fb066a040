// Any bytes as a .tflite model: planned for the Edge TPU without end in a crash. Random networks:
// whatever compiles passes its proof.
#include <cstdlib>
#include <cstring>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/compile/proof/proof.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::edgetpu;

void plan_model(ByteSpan bytes) {
  const auto model = tflite::read(bytes, "fuzz");
  if (!model.ok() || !verify_graph(model->main()).ok()) return;
  const compiler::Partition p = compiler::partition_of(model->main());
  for (const compiler::Assignment& a : p.ops) {
    if (a.group < 0 && (!a.refusal || a.refusal->message.empty())) std::abort();
  }
}

void prove_network(uint32_t seed) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(RandomNetwork(seed).any());
  if (!verify_graph(model.main()).ok()) return;
  const auto made = compiler::compile_model(model);
  if (!made.ok()) std::abort();
  if (made->partition.groups.empty()) return;
  const auto file = tflite::write(made->model);
  if (!file.ok()) std::abort();
  std::vector<compiler::ProvenGroup> groups;
  for (const auto& g : made->partition.groups) groups.push_back({&g.segment, &g.package});
  compiler::ProofOptions options;
  options.inputs = 1;
  const auto proof = compiler::prove(model.main(), groups, *file, options);
  if (proof.ok() && !proof->holds()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
  if (size == sizeof(uint32_t)) {
    uint32_t seed = 0;
    std::memcpy(&seed, data, sizeof seed);
    prove_network(seed);
  } else {
    plan_model(bytes);
  }
  return 0;
}
