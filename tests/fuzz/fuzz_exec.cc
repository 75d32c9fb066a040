// Any model that can be read is planned, and run if that is cheap: the operators' own checks are
// the border to hostile files. Plain and fast operators must agree on whatever they are given.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "exec/plan.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"

namespace edgetwin {
namespace {

constexpr int64_t kMaxArena = 1 << 22;
constexpr int64_t kMaxMacs = 1 << 22;

bool cheap(const exec::Plan& plan) {
  int64_t macs = 0;
  for (const exec::Step& step : plan.steps) macs += step.macs;
  return plan.memory.arena_bytes <= kMaxArena && macs <= kMaxMacs;
}

// The outputs' bytes one after the other; empty if the data ended the run.
Bytes outputs_of(const std::shared_ptr<const Graph>& graph, bool fast) {
  auto session = exec::Session::create(graph, {.fast = fast});
  if (!session.ok() || !session->run().ok()) return {};
  Bytes all;
  for (const ValueId id : graph->outputs) {
    const ByteSpan data = session->bytes(id);
    all.insert(all.end(), data.begin(), data.end());
  }
  return all;
}

}  // namespace
}  // namespace edgetwin

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;  // NOLINT: one function
  auto model = tflite::read({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
  if (!model.ok()) return 0;
  const auto graph = std::make_shared<const Graph>(std::move(model->graphs.front()));
  const auto plan = exec::make_plan(graph, {.fast = false});
  if (!plan.ok() || !cheap(*plan)) return 0;
  if (outputs_of(graph, false) != outputs_of(graph, true)) std::abort();
  return 0;
}
