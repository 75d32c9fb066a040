#include <filesystem>

#include "edgetwin/verify.h"
#include "edgetwin/version.h"
#include "report/format.h"
#include "report/tensor_stats.h"
#include "targets/max78/page/page.h"
#include "twin/network_impl.h"
#include "twin/report/pages.h"

namespace edgetwin {
namespace twin {
namespace {

// A row of the table of results; `t` is beside a tensor of the reference, or null.
max78::ResultRow row_of(const std::string& layer, const Tensor& tensor, const TensorAgreement* t) {
  const report::TensorStats s = report::tensor_stats(tensor);
  max78::ResultRow row;
  row.layer = layer;
  row.form = to_string(tensor.shape) + " " + std::string(name(tensor.dtype));
  row.least = report::value_text(s.min);
  row.largest = report::value_text(s.max);
  row.mean = report::real_text(static_cast<float>(s.mean));
  if (t == nullptr) return row;
  row.comparison = !t->problem.empty() ? t->problem
                   : t->equal()
                       ? "equal"
                       : std::to_string(t->different) + " of " + std::to_string(t->elements) +
                             " differ, first at " + t->first_position;
  return row;
}

const TensorAgreement* agreement_of(const Agreement* agreement, const std::string& name,
                                    bool output) {
  if (agreement == nullptr) return nullptr;
  for (const TensorAgreement& t : agreement->tensors) {
    if (t.name == name && (t.output || !output)) return &t;
  }
  return nullptr;
}

void describe_max78(max78::NetworkPage& page, const Network& network, const Inputs& inputs) {
  const OpenOptions& open = network.impl().options;
  page.asked = {{"network", network.file()}, {"target", open.target}};
  if (!open.checkpoint.empty()) page.asked.emplace_back("checkpoint", open.checkpoint);
  if (!open.weights.empty()) page.asked.emplace_back("weights", open.weights);
  if (!open.bias.empty()) page.asked.emplace_back("bias", open.bias);
  if (!inputs.given.empty()) page.asked.emplace_back("sample", inputs.given[0].text);
  std::string options;
  for (const std::string& word : open.options) options += (options.empty() ? "" : " ") + word;
  if (!options.empty()) page.asked.emplace_back("options", options);
}

std::string verdict_of(const std::string& target, const std::optional<Agreement>& agreement) {
  if (!agreement) return target + ": computed";
  const std::string counts = std::to_string(agreement->different) + " of " +
                             std::to_string(agreement->compared) + " tensors differ";
  return target + (agreement->equal() ? ": equal to the reference, " + counts
                                      : ": differs from the reference, " + counts);
}

}  // namespace

Result<Page> max78_page(const Network& network, const Inputs& inputs,
                        const ReportOptions& options) {
  RunnerOptions how = options.run;
  how.where = Where::twin;
  how.keep_layers = true;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  EDGETWIN_TRY_ASSIGN(const Run run, runner->run(inputs.tensors));
  std::optional<Agreement> agreement;
  if (!options.reference.empty()) {
    EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> recorded, recorded_runner(options.reference));
    EDGETWIN_TRY_ASSIGN(const Run expected, recorded->run({}));
    agreement = compare(run, expected, options.tolerance);
  }
  const Agreement* beside = agreement ? &*agreement : nullptr;
  max78::NetworkPage page;
  page.title = std::filesystem::path(network.file()).filename().string();
  page.version = std::string(version());
  page.yes = !agreement || agreement->equal();
  page.verdict = verdict_of(network.impl().options.target, agreement);
  describe_max78(page, network, inputs);
  page.plan = &network.impl().max78->network->planning;
  page.findings.assign(network.findings().begin(), network.findings().end());
  for (const LayerResult& l : run.layers) {
    page.results.push_back(row_of(l.layer, l.tensor, agreement_of(beside, l.tensor.name, false)));
  }
  for (const Tensor& t : run.outputs) {
    page.results.push_back(
        row_of("output '" + t.name + "'", t, agreement_of(beside, t.name, true)));
  }
  page.command = options.command;
  Page result;
  page.estimate = estimate_section(network, network.impl().options.target);
  result.html = max78::html_page(page);
  result.verdict = page.verdict;
  result.json.set("verdict", page.verdict);
  if (!agreement) return result;
  result.equal = agreement->equal();
  result.json.set("compared", agreement->compared).set("different", agreement->different);
  return result;
}

Result<Page> page_of(const Network& network, const Inputs& inputs, const ReportOptions& options) {
  return network.impl().max78 != nullptr ? max78_page(network, inputs, options)
                                         : graph_page(network, inputs, options);
}

}  // namespace twin

Result<ReportPage> report_page(const Network& network, const Inputs& inputs,
                               const ReportOptions& options) {
  EDGETWIN_TRY_ASSIGN(twin::Page page, twin::page_of(network, inputs, options));
  return ReportPage{std::move(page.html), std::move(page.verdict), page.equal};
}

}  // namespace edgetwin
