#include <filesystem>

#include "edgetwin/version.h"
#include "report/format.h"
#include "report/model/diff_report.h"
#include "report/page/page.h"
#include "twin/compute.h"
#include "twin/network_impl.h"
#include "twin/report/pages.h"

namespace edgetwin::twin {
namespace {

using report::PageData;

constexpr int kRuns = 20;

void describe_request(PageData& page, const ReportOptions& a, const LoadedModel& loaded,
                      const ComputeOptions& compute, const Inputs& inputs) {
  page.asked.emplace_back("model", loaded.file);
  page.asked.emplace_back("model SHA-256", loaded.sha256);
  for (size_t i = 0; i < inputs.given.size(); ++i) {
    const GivenInput& g = inputs.given[i];
    const std::string what = inputs.given.size() == 1 ? "input" : "input " + std::to_string(i);
    page.asked.emplace_back(what, g.text);
    if (!g.sha256.empty()) page.asked.emplace_back(what + " SHA-256", g.sha256);
  }
  if (!a.reference.empty()) page.asked.emplace_back("reference", a.reference);
  if (a.tolerance > 0.0) page.asked.emplace_back("tolerance", report::real_text(a.tolerance));
  if (!loaded.target.empty()) {
    page.asked.emplace_back("target", loaded.target + " (" + loaded.target_why + ")");
    page.asked.emplace_back("ESP-DL version", compute.runtime);
  }
  page.asked.emplace_back("numerics", page.session->options().numerics);
  page.asked.emplace_back("threads", std::to_string(compute.threads));
  page.asked.emplace_back("operators",
                          compute.plain ? "plain only" : "fast, proven equal to plain");
}

// Runs with every tensor kept, for the values and the comparison.
Status add_values(PageData& page, const ReportOptions& a, const LoadedModel& loaded,
                  const ComputeOptions& compute, const Inputs& inputs) {
  EDGETWIN_TRY_ASSIGN(exec::Session traced, plan(loaded, compute, true));
  EDGETWIN_TRY(set_inputs(traced, inputs.tensors));
  traced.reset_variables();
  EDGETWIN_TRY(traced.run());
  for (const report::TraceItem& item : report::trace_items(traced)) {
    page.tensors.push_back({item, report::tensor_stats(traced.tensor(item.value))});
  }
  if (a.reference.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const std::vector<report::TraceTensor> reference,
                      report::read_tensor_folder(a.reference));
  EDGETWIN_TRY_ASSIGN(page.comparison,
                      report::compare_with_reference(traced, reference, a.tolerance));
  return Ok{};
}

void set_verdict(PageData& page) {
  if (page.comparison) {
    page.verdict = page.comparison->equal() ? PageData::Verdict::yes : PageData::Verdict::no;
    page.verdict_text = report::verdict(*page.comparison, "tensor");
  } else {
    const size_t steps = page.session->steps().size();
    page.verdict_text = "computed: " + std::to_string(steps) +
                        (steps == 1 ? " operator" : " operators") + "; no reference was given";
  }
}

// What `info` says of the network: without the scratch of fast kernels, which is this computer's.
Result<exec::MemoryPlan> network_memory(const LoadedModel& loaded, ComputeOptions compute) {
  compute.plain = true;
  compute.isa.clear();
  EDGETWIN_TRY_ASSIGN(const exec::Session plain, plan(loaded, compute, false));
  return exec::MemoryPlan(plain.memory());
}

}  // namespace

Result<Page> graph_page(const Network& network, const Inputs& inputs,
                        const ReportOptions& options) {
  const LoadedModel& loaded = *network.impl().loaded;
  const ComputeOptions compute = compute_options(network.impl().options, options.run);
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(loaded, compute, false));
  EDGETWIN_TRY(set_inputs(session, inputs.tensors));
  EDGETWIN_TRY_ASSIGN(const report::Timing timing,
                      report::measure(session, kRuns, options.progress));
  report::ModelSummary summary = report::summarize(*loaded.model, &session);
  EDGETWIN_TRY_ASSIGN(summary.memory, network_memory(loaded, compute));
  PageData page;
  page.title = std::filesystem::path(loaded.file).filename().string();
  page.version = std::string(version());
  page.model = loaded.model.get();
  page.summary = &summary;
  page.session = &session;
  page.timing = &timing;
  page.machine = report::this_machine();
  page.isa = used_isa(compute);
  page.command = options.command;
  describe_request(page, options, loaded, compute, inputs);
  EDGETWIN_TRY(add_values(page, options, loaded, compute, inputs));
  set_verdict(page);
  Page result;
  page.estimate = estimate_section(network, loaded.target);
  result.html = report::html_page(page);
  result.verdict = page.verdict_text;
  if (page.comparison) result.equal = page.comparison->equal();
  result.json.set("verdict", page.verdict_text).set("report", report::page_json(page));
  return result;
}

}  // namespace edgetwin::twin
