#include "twin/make/plan_float.h"

#include <utility>

#include "twin/load.h"

namespace edgetwin::twin {

namespace {

struct Tried {
  FloatPlan plan;
  std::vector<Finding> findings;
  int fold = 1;
  bool fits = false;
};

Result<Tried> tried(QuantizeRun run, const max78::NetworkSources& chip, bool fold) {
  Tried t;
  run.noticed = [&t](const Finding& f) { t.findings.push_back(f); };
  EDGETWIN_TRY_ASSIGN(Max78Quantization q, unplaced_for_max78(run, fold));
  t.plan.misfits = std::move(q.misfits);
  if (!q.conversion) return t;
  t.plan.name = q.conversion->draft.name;
  t.plan.yaml = to_bytes(std::as_bytes(std::span(q.conversion->yaml)));
  t.plan.checkpoint = std::move(q.conversion->checkpoint);
  t.plan.sample = std::move(q.conversion->sample);
  t.fold = std::as_const(q.conversion->draft).tensor(0).fold;
  max78::NetworkSources sources = chip;
  use_float_plan(t.plan, sources);
  t.fits = max78::load_network(sources, max78::SampleNeed::numbers).ok();
  return t;
}

}  // namespace

bool is_float_network(ByteSpan data) { return sniff(data) == FileKind::onnx; }

Result<FloatPlan> float_plan(const QuantizeRun& run, const max78::NetworkSources& sources) {
  EDGETWIN_TRY_ASSIGN(Tried t, tried(run, sources, false));
  if (!t.fits) {
    EDGETWIN_TRY_ASSIGN(Tried folded, tried(run, sources, true));
    if (folded.fold > 1 && folded.fits) t = std::move(folded);
  }
  for (const Finding& f : t.findings) run.noticed(f);
  return std::move(t.plan);
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
