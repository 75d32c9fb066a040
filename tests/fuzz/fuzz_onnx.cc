// Any ONNX file that can be read has a graph that can be planned, and run if that is cheap.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "exec/plan.h"
#include "exec/session.h"
#include "formats/onnx/import/onnx.h"

namespace edgetwin {
namespace {

constexpr int64_t kMaxArena = 1 << 20;
constexpr int64_t kMaxMacs = 1 << 20;

void run(const std::shared_ptr<const Graph>& graph) {
  exec::Options options;
  options.numerics = "onnx";
  const auto plan = exec::make_plan(graph, options);
  // What the reader has prepared, the planner prepares again.
  if (!plan.ok() && plan.error().code != ErrorCode::out_of_memory) std::abort();
  if (!plan.ok() || plan->memory.arena_bytes > kMaxArena) return;
  int64_t macs = 0;
  for (const exec::Step& step : plan->steps) macs += step.macs;
  if (macs > kMaxMacs) return;
  auto session = exec::Session::create(graph, options);
  if (session.ok()) (void)session->run().ok();
}

}  // namespace
}  // namespace edgetwin

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
  (void)onnx::looks_like_onnx(bytes);
  onnx::ReadOptions options;
  options.external = [](const std::string&) -> Result<Bytes> { return Bytes(64); };
  Result<Model> model = onnx::read(bytes, "fuzz.onnx", options);
  if (model.ok()) run(std::make_shared<const Graph>(std::move(model->graphs[0])));
  return 0;
}
