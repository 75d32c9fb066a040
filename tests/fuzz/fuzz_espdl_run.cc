// Any .espdl model that can be read is checked, lowered and planned for every target, and run if
// that is cheap. Plain and fast operators must agree on whatever they are given, and on what they
// say of sums that left the chip's lanes.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "exec/plan.h"
#include "exec/session.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "lut/of_model.h"
#include "targets/espdl/check/check.h"

namespace edgetwin {
namespace {

constexpr int64_t kMaxArena = 1 << 20;
constexpr int64_t kMaxMacs = 1 << 20;

bool cheap(const exec::Plan& plan) {
  int64_t macs = 0;
  for (const exec::Step& step : plan.steps) macs += step.macs;
  return plan.memory.arena_bytes <= kMaxArena && macs <= kMaxMacs;
}

// Outputs and what the run has to say; empty if the data ended the run.
std::string result_of(const std::shared_ptr<const Graph>& graph, exec::Options options, bool fast) {
  options.fast = fast;
  auto session = exec::Session::create(graph, options);
  if (!session.ok() || !session->run().ok()) return {};
  std::string all;
  for (const ValueId id : graph->outputs) all += as_text(session->bytes(id));
  for (const Finding& f : session->run_findings()) all += f.message;
  return all;
}

void run(const std::shared_ptr<const Graph>& graph, const char* numerics) {
  exec::Options options;
  options.numerics = numerics;
  options.allow_undefined = true;
  options.fast = false;
  const auto plan = exec::make_plan(graph, options);
  if (!plan.ok() || !cheap(*plan)) return;
  if (result_of(graph, options, false) != result_of(graph, options, true)) std::abort();
}

void try_target(const espdl::ModelFile& model, espdl::Target target,
                std::initializer_list<const char*> numerics) {
  (void)targets::espdl::check(model, target, {});
  auto lowered = espdl::import_document(model.document, target, "fuzz");
  if (!lowered.ok()) return;
  const auto graph = std::make_shared<const Graph>(std::move(lowered->graphs.front()));
  for (const char* name : numerics) run(graph, name);
}

}  // namespace
}  // namespace edgetwin

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;  // NOLINT: one function
  const auto container = espdl::read({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (!container.ok()) return 0;
  for (const espdl::ModelFile& model : container->models) {
    (void)lut::tables_of(model.document, numerics::Rounding::half_even);
    try_target(model, espdl::Target::c, {"espdl-c"});
    try_target(model, espdl::Target::esp32s3, {"espdl-s3"});
    try_target(model, espdl::Target::esp32p4, {"espdl-p4", "espdl-p4-wide"});
  }
  return 0;
}
