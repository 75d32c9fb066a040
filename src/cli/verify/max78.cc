// `verify` of register programs: executed by the machine, held against the known answer and
// against the network.
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/verify/arguments.h"
#include "cli/verify/kinds.h"
#include "report/format.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/pipeline/run.h"

namespace edgetwin::cli {
namespace {

using report::Json;

struct Max78Results {
  VerifyReport checks;
  bool yes = true;

  void row(bool passed, const std::string& what, const std::string& detail) {
    checks.compared(passed, what, detail);
    yes = yes && passed;
  }
};

void show_findings(const max78::Machine& machine, Max78Results& results) {
  Json list = Json::array();
  for (const Finding& f : machine.findings()) {
    results.checks.finding(f);
    if (f.severity == Severity::error) results.yes = false;
    list.push(to_json(f));
  }
  results.checks.console().json().set("machine_findings", std::move(list));
}

void show_comparison(const max78::Comparison& c, const std::string& file, Max78Results& results) {
  if (c.words == 0) {
    results.checks.row(false, "nothing", "known answer " + file, "it has no words to compare");
    results.checks.console().json().set("words", c.words).set("words_different", c.different);
    results.yes = false;
    return;
  }
  std::string detail = report::count_text(static_cast<int64_t>(c.words)) + " words";
  if (!c.equal()) {
    detail += ", " + report::count_text(static_cast<int64_t>(c.different)) + " differ";
  }
  results.row(c.equal(), "known answer " + file, detail);
  Json list = Json::array();
  for (const max78::WordDifference& d : c.first) {
    const std::string text = max78::describe(d);
    results.checks.console().print("  " + text + "\n");
    results.checks.only_on_page({false, "word", text, ""});
    Json j = Json::object();
    j.set("address", d.address).set("mask", d.mask).set("expected", d.expected);
    j.set("found", d.found).set("layer", d.origin.writer).set("row", d.origin.row);
    j.set("column", d.origin.column);
    j.set("channel", d.origin.channels[d.origin.wide ? 0 : d.byte]);
    if (d.accumulator) j.set("sum", *d.accumulator);
    list.push(std::move(j));
  }
  results.checks.console().json().set("words", c.words).set("words_different", c.different);
  results.checks.console().json().set("differences", std::move(list));
}

void show_layers(const max78::SideBySide& both, const ai8x::Network& network,
                 Max78Results& results) {
  Json list = Json::array();
  for (const max78::LayerAgreement& a : both.layers) {
    const std::string name = ai8x::layer_name(network, static_cast<size_t>(a.layer));
    std::string detail = report::count_text(static_cast<int64_t>(a.values)) + " values";
    if (!a.equal()) {
      detail += ", " + report::count_text(static_cast<int64_t>(a.different)) +
                " differ; first channel " + std::to_string(a.channel) + ", row " +
                std::to_string(a.row) + ", column " + std::to_string(a.column) + " at " +
                max78::hex_text(a.address) + ": machine " + std::to_string(a.machine) +
                ", network " + std::to_string(a.graph);
      if (a.accumulator) detail += ", sum before rounding " + std::to_string(*a.accumulator);
      detail += "; it read " + a.inputs;
    }
    results.row(a.equal(), name, detail);
    Json j = Json::object();
    j.set("layer", a.layer).set("values", a.values).set("different", a.different);
    list.push(std::move(j));
  }
  results.checks.console().json().set("layers", std::move(list));
  if (both.first >= 0) {
    results.checks.console().print("first      " +
                                   ai8x::layer_name(network, static_cast<size_t>(both.first)) +
                                   " is the first layer that differs\n");
    results.checks.console().json().set("first_layer_different", both.first);
  }
}

// The program that was given, or the network's own.
Result<max78::ProgramText> program_of(const VerifyArguments& a, const max78::LoadedNetwork* job) {
  if (!a.model.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
    return max78::read_program(as_text(data), a.model);
  }
  EDGETWIN_TRY_ASSIGN(const max78::Program program, max78::make_program(job->plan(), job->sample));
  return max78::as_text(program, job->plan().chip->device);
}

Status run_beside_network(const max78::ProgramText& program, const max78::LoadedNetwork& job,
                          max78::Machine& machine, Max78Results& results) {
  EDGETWIN_TRY_ASSIGN(max78::NetworkRun twin, max78::simulate(job, job.sample));
  EDGETWIN_TRY_ASSIGN(const max78::SideBySide both,
                      max78::run_side_by_side(program, machine, job.plan(), twin.layers));
  show_layers(both, job.network, results);
  return Ok{};
}

Result<int> finish(const max78::Machine& machine, Max78Results& results) {
  const bool yes = results.yes && machine.layers_done() > 0;
  const std::string work = "the machine ran " + std::to_string(machine.layers_done()) +
                           " layers in " +
                           report::count_text(static_cast<int64_t>(machine.steps())) + " steps";
  const std::string verdict = (yes ? "verified: " : "not verified: ") + work;
  results.checks.console().print(verdict + "\n");
  results.checks.console()
      .json()
      .set("layers_done", machine.layers_done())
      .set("steps", machine.steps());
  return results.checks.finish(yes, verdict);
}

}  // namespace

bool is_max78_verify(const VerifyArguments& a) {
  if (!a.max78.network.empty() || !a.expected.empty()) return true;
  if (a.model.empty()) return false;
  const Result<Bytes> data = read_file(a.model);
  return data.ok() && max78::looks_like_program(as_text(*data));
}

Result<int> verify_max78(const VerifyArguments& a, Console& console) {
  Max78Results results{VerifyReport(a, console), true};
  EDGETWIN_TRY(results.checks.can_be_written());
  if (a.model.empty() && a.max78.network.empty()) {
    return Error(ErrorCode::usage, "neither a register program nor a network was given")
        .with_hint("edgetwin verify --help ends with examples.");
  }
  if (a.max78.network.empty() && !a.max78.shape.empty()) {
    return Error(ErrorCode::usage, "--input-shape goes with --network: a program has its input");
  }
  std::unique_ptr<max78::LoadedNetwork> job;
  if (!a.max78.network.empty()) {
    Max78Arguments network = a.max78;
    network.target = a.compute.target;
    EDGETWIN_TRY_ASSIGN(Max78Outcome outcome,
                        load_max78(network, max78::SampleNeed::numbers, console));
    if (!outcome.ok) return outcome.exit_code;
    job = std::move(outcome.job);
  }
  EDGETWIN_TRY_ASSIGN(const max78::ProgramText program, program_of(a, job.get()));
  max78::MachineOptions options;
  options.keep_sums = true;
  options.step_limit = a.step_limit;
  max78::Machine machine(program.device, options);
  if (a.model.empty()) {
    results.checks.title(std::filesystem::path(a.max78.network).filename().string());
  }
  results.checks.asked("target", std::string(max78::name(program.device)));
  console.json().set("target", max78::name(program.device));
  const Status played =
      job ? run_beside_network(program, *job, machine, results) : max78::play(program, machine);
  show_findings(machine, results);
  if (!played.ok()) return played.error();
  if (!a.expected.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.expected));
    EDGETWIN_TRY_ASSIGN(const auto expected, max78::read_expected(as_text(data), a.expected));
    show_comparison(max78::compare(machine, expected), a.expected, results);
  }
  return finish(machine, results);
}

}  // namespace edgetwin::cli
