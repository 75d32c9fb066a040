#include "cli/networks/max78.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/networks/page.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/version.h"
#include "formats/ai8x/read_yaml.h"
#include "report/format.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/page/memory_drawing.h"
#include "targets/max78/page/page.h"
#include "targets/max78/pipeline/reordered.h"
#include "targets/max78/pipeline/run.h"
#include "targets/target.h"
#include "twin/make/plan_float.h"
#include "twin/max78_sample.h"

namespace edgetwin::cli {
namespace {

Result<ai8x::Device> device_of(const std::string& target) {
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target(target, {Family::max78}));
  return ai8x::Device{*max78::device_by_name(chip->name)};
}

void print(const std::vector<Finding>& findings, Console& console) {
  for (const Finding& f : findings) {
    if (f.severity == Severity::error) {
      console.error(error_of(f, ErrorCode::max78_rules));
    } else {
      console.finding(f);
    }
  }
}

Result<max78::NetworkSources> sources_of(const Max78Arguments& a, ai8x::Device device) {
  using max78::Source;
  max78::NetworkSources s;
  s.device = device;
  EDGETWIN_TRY_ASSIGN(s.options, max78::options_from(a.options));
  s.description = Source::file(a.network);
  s.checkpoint = Source::file(a.checkpoint);
  s.weights = Source::file(a.weights);
  s.bias = Source::file(a.bias);
  s.sample = Source::file(a.sample);
  if (!a.shape.empty()) {
    EDGETWIN_TRY_ASSIGN(s.shape, max78::read_shape(a.shape));
  }
  return s;
}

// 1: it does not fit. Of files that cannot be used the smallest code of their errors, at most 3.
int exit_code_of(const max78::Loading& loading) {
  if (loading.ok()) return kYes;
  if (loading.step == max78::LoadStep::plan) return kNo;
  int code = kInput;
  if (loading.step != max78::LoadStep::description) return code;
  for (const Finding& f : loading.findings) {
    if (f.severity != Severity::error) continue;
    code = std::min(code, info(error_of(f, ErrorCode::max78_rules).code).exit_code);
  }
  return code;
}

// Of `plan`: a float network becomes integers first; empty where NETWORK is a description.
Result<std::optional<twin::FloatPlan>> float_plan_of(const Max78Arguments& a,
                                                     const max78::NetworkSources& sources,
                                                     Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.network));
  if (!twin::is_float_network(data)) {
    if (a.calibrate.empty()) return std::optional<twin::FloatPlan>{};
    return Error(ErrorCode::usage, "--calibrate belongs to a float network, .onnx")
        .with_hint("A description has integer parameters: leave --calibrate out.");
  }
  for (const std::string* word : {&a.checkpoint, &a.weights, &a.bias, &a.sample, &a.shape}) {
    if (word->empty()) continue;
    return Error(ErrorCode::usage,
                 "'" + *word +
                     "' belongs to a network description, .yaml; a float network has its "
                     "own parameters and size")
        .with_hint("--calibrate gives it data; the first sample becomes the network's.");
  }
  twin::QuantizeRun run;
  run.file = a.network;
  run.progress = console.progress_sink();
  run.noticed = [&console](const Finding& f) { console.finding(f); };
  run.options.target = a.target;
  run.options.calibrate = a.calibrate;
  EDGETWIN_TRY_ASSIGN(twin::FloatPlan made, twin::float_plan(run, sources));
  return std::optional<twin::FloatPlan>(std::move(made));
}

// Layers by their written numbers, in the planned order.
void show_layer_order(const std::vector<int>& order, Console& console) {
  std::string text;
  report::Json list = report::Json::array();
  for (const int layer : order) {
    text += (text.empty() ? "" : ", ") + std::to_string(layer);
    list.push(layer);
  }
  console.print("order       " + text + ", by the written numbers of layers\n");
  console.json().set("order", std::move(list));
}

}  // namespace

Result<bool> is_max78_network(ByteSpan model, const Max78Arguments& a, const std::string& verb) {
  if (ai8x::looks_like_network(as_text(model))) return true;
  const bool named =
      !a.checkpoint.empty() || !a.weights.empty() || !a.bias.empty() || !a.sample.empty();
  if (a.options.empty() && !named) return false;
  std::string words;
  for (const std::string& word : a.options) words += (words.empty() ? "" : " ") + word;
  const std::string what =
      a.options.empty() ? "--checkpoint, --weights, --bias and --sample belong to a network .yaml"
      : a.options.size() == 1 ? "The following argument was not expected: " + words
                              : "The following arguments were not expected: " + words;
  return Error(ErrorCode::usage, what)
      .with_hint("edgetwin " + verb + " --help lists the options and ends with an example.");
}

Result<Max78Outcome> load_max78(const Max78Arguments& a, max78::SampleNeed need, Console& console,
                                bool weightless, bool plan, bool makes_rtl) {
  EDGETWIN_TRY_ASSIGN(const ai8x::Device device, device_of(a.target));
  EDGETWIN_TRY_ASSIGN(max78::NetworkSources sources, sources_of(a, device));
  if (sources.options.rtl.on && !makes_rtl) {
    return Error(ErrorCode::usage, "--rtl and --rtl-preload change nothing here")
        .with_hint("They belong to `compile`.");
  }
  sources.weightless = weightless;
  sources.plan = plan;
  if (!a.objective.empty()) sources.objective = *max78::objective_by_name(a.objective);
  Max78Outcome outcome;
  std::optional<twin::FloatPlan> made;
  if (plan) {
    EDGETWIN_TRY_ASSIGN(made, float_plan_of(a, sources, console));
  }
  if (made && !made->misfits.empty()) {
    for (const Error& e : made->misfits) outcome.exit_code = console.error(e);
    outcome.ok = false;
    return outcome;
  }
  if (made) twin::use_float_plan(*made, sources);
  std::optional<Finding> note;
  EDGETWIN_TRY(twin::read_max78_sample(sources, note));
  max78::Loading loading = max78::load_network(sources, need);
  if (note) loading.findings.insert(loading.findings.begin(), *note);
  outcome.stands_in = loading.stands_in;
  outcome.asked_for = loading.stands_in && !a.weights.empty();
  outcome.assumed = loading.assumed;
  print(loading.findings, console);
  if (loading.failure) return *loading.failure;
  outcome.findings = loading.findings;
  outcome.ok = loading.ok();
  outcome.exit_code = exit_code_of(loading);
  outcome.job = std::move(loading.network);
  if (made && outcome.ok) {
    outcome.name = made->name;
    outcome.made = twin::planned_files(*made, outcome.job->description);
  }
  return outcome;
}

Status add_moved_parameters(const Max78Arguments& a, Max78Outcome& outcome) {
  if (!outcome.made.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const ai8x::Device device, device_of(a.target));
  EDGETWIN_TRY_ASSIGN(const max78::NetworkSources sources, sources_of(a, device));
  EDGETWIN_TRY_ASSIGN(auto moved, max78::reordered_checkpoint(sources, *outcome.job));
  if (moved) outcome.made.push_back({"network.pth.tar", std::move(*moved)});
  return Ok{};
}

Status prove_plan(const Max78Arguments& a, const max78::LoadedNetwork& job, Console& console) {
  EDGETWIN_TRY_ASSIGN(const max78::PlanProof proof, max78::prove(job, job.sample));
  if (!proof.proven()) {
    Error e(ErrorCode::internal,
            "the plan that was made fails its proof: the machine parts from "
            "the twin in " +
                std::to_string(proof.different) + " values");
    if (!proof.first.empty()) e.details.push_back("first in " + proof.first);
    e.hint = "Nothing was written. Please report it with the network.";
    return e;
  }
  const int64_t cycles = max78::statistics(job.plan()).cycles;
  console.print("planned     " + report::count_text(static_cast<int64_t>(proof.layers)) +
                " layers in " + std::to_string(job.planned->attempts) +
                (job.planned->attempts == 1 ? " placement" : " placements") +
                "; the machine agrees with the twin in all " +
                report::count_text(static_cast<int64_t>(proof.values)) + " values" +
                (cycles > 0 ? ", " + report::count_text(cycles) + " cycles" : "") + "\n");
  console.json().set("attempts", job.planned->attempts).set("values_equal", proof.values);
  if (!job.planned->order.empty()) show_layer_order(job.planned->order, console);
  if (cycles > 0) console.json().set("cycles", cycles);
  const max78::PlanCost& cost = job.planned->cost;
  if (!a.objective.empty()) {
    console.print("objective   " + a.objective + ": " + std::to_string(cost.groups) + " of " +
                  std::to_string(max78::kGroups) + " groups of processors, " +
                  report::count_text(cost.data_bytes) + " bytes of data memory, " +
                  report::count_text(cost.kernel_bytes) + " of kernel memory\n");
  }
  console.json().set("groups", cost.groups).set("data_bytes", cost.data_bytes);
  console.json().set("kernel_bytes", cost.kernel_bytes);
  return Ok{};
}

void show_stand_in(const Max78Outcome& outcome, Console& console) {
  if (!outcome.stands_in) return;
  static const std::vector<std::string> kUnknown = {
      "whether a checkpoint belongs to the description, and its weights fit their bits",
      "biases: their memory, and rules about layers that have one",
      "kernels and biases that are equal and would share their memory",
      "results of layers: nothing is computed with what was trained"};
  report::Json unknown = report::Json::array(), assumed = report::Json::array();
  std::string text = "the weights are pseudo-random\n";
  if (!outcome.asked_for) {
    text = "no weights were given: pseudo-random ones stand in. Not checked:\n";
    for (const std::string& line : kUnknown) {
      text += "  " + line + "\n";
      unknown.push(line);
    }
  }
  if (!outcome.assumed.empty()) text += "assumed, as the description does not say it:\n";
  for (const std::string& line : outcome.assumed) {
    text += "  " + line + "\n";
    assumed.push(line);
  }
  console.print(text);
  console.json().set("weights", outcome.asked_for ? "pseudo-random" : "none");
  console.json().set("not_checked", std::move(unknown));
  console.json().set("assumed", std::move(assumed));
}

Result<std::optional<ai8x::Parameters>> match_max78(const Max78Arguments& a,
                                                    const ai8x::Network& network,
                                                    Console& console) {
  // Parameters do not depend on the device.
  EDGETWIN_TRY_ASSIGN(const max78::NetworkSources sources, sources_of(a, ai8x::Device::max78000));
  EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading reading, max78::read_parameters(sources, network));
  print(max78::findings_of(reading.report, sources.options.warn_zero), console);
  return std::move(reading.parameters);
}

Status check_max78_pages(const Max78Arguments& a) {
  for (const Output* file : {&a.report, &a.image}) {
    if (!file->empty()) EDGETWIN_TRY(check_page(*file, {}));
  }
  return Ok{};
}

Status write_max78_pages(const Max78Arguments& a, const Max78Outcome& outcome,
                         const std::string& verdict, Console& console) {
  max78::NetworkPage page;
  page.yes = outcome.ok;
  page.verdict = verdict;
  page.plan = outcome.job != nullptr ? &outcome.job->planning : nullptr;
  page.findings = outcome.findings;
  if (!a.report.empty()) {
    page.title = std::filesystem::path(a.network).filename().string();
    page.version = std::string(version());
    page.asked = {{"network", a.network}, {"target", a.target}};
    if (!a.checkpoint.empty()) page.asked.emplace_back("checkpoint", a.checkpoint);
    if (!a.weights.empty()) page.asked.emplace_back("weights", a.weights);
    if (!a.bias.empty()) page.asked.emplace_back("bias", a.bias);
    if (!a.sample.empty()) page.asked.emplace_back("sample", a.sample);
    std::string options;
    for (const std::string& word : a.options) options += (options.empty() ? "" : " ") + word;
    if (!options.empty()) page.asked.emplace_back("options", options);
    page.command = console.command_line();
    EDGETWIN_TRY(a.report.write(std::string_view(max78::html_page(page))));
    console.print("report      " + a.report.path + "\n");
    console.json().set("page", a.report.path);
  }
  const max78::Planning* plan = page.plan;
  if (a.image.empty() || plan == nullptr || plan->hardware == nullptr) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Bytes png, plot::to_png(max78::memory_drawing(*plan)));
  EDGETWIN_TRY(a.image.write(png));
  console.print("picture     " + a.image.path + "\n");
  console.json().set("picture", a.image.path);
  return Ok{};
}

}  // namespace edgetwin::cli
