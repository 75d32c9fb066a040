#include "twin/make/plan_float.h"

#include "twin/load.h"

namespace edgetwin::twin {

bool is_float_network(ByteSpan data) { return sniff(data) == FileKind::onnx; }

Result<FloatPlan> float_plan(const QuantizeRun& run) {
  EDGETWIN_TRY_ASSIGN(Max78Quantization q, unplaced_for_max78(run));
  FloatPlan plan;
  plan.misfits = std::move(q.misfits);
  if (!q.conversion) return plan;
  plan.name = q.conversion->draft.name;
  plan.yaml = to_bytes(std::as_bytes(std::span(q.conversion->yaml)));
  plan.checkpoint = std::move(q.conversion->checkpoint);
  plan.sample = std::move(q.conversion->sample);
  return plan;
}

void use_float_plan(const FloatPlan& plan, max78::NetworkSources& sources) {
  sources.description = max78::Source::bytes(plan.name + ".yaml", plan.yaml);
  sources.checkpoint = max78::Source::bytes(plan.name + ".pth.tar", plan.checkpoint);
  sources.sample = max78::Source::bytes("sample_" + plan.name + ".npy", plan.sample);
  sources.plan = true;
}

std::vector<MadeFile> planned_files(const FloatPlan& plan, const std::string& description) {
  std::vector<MadeFile> files;
  files.push_back({plan.name + ".yaml", to_bytes(std::as_bytes(std::span(description)))});
  files.push_back({plan.name + ".pth.tar", plan.checkpoint});
  files.push_back({"sample_" + plan.name + ".npy", plan.sample});
  return files;
}

}  // namespace edgetwin::twin
