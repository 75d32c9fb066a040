// `quantize` of float networks for ESP-DL, and what all float networks share.
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "cli/networks/shard.h"
#include "cli/quantize/quantize.h"
#include "cli/quantize/report.h"
#include "cli/quantize/tables.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/output_group.h"
#include "formats/onnx/import/onnx.h"
#include "formats/torch/checkpoint.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

Result<std::pair<std::string, std::string>> named(const std::string& word, const char* option) {
  const size_t at = word.rfind('=');
  if (at != std::string::npos && at > 0 && at + 1 < word.size()) {
    return std::pair(word.substr(0, at), word.substr(at + 1));
  }
  return Error(ErrorCode::usage, std::string(option) + " takes NAME=VALUE, not '" + word + "'");
}

Result<int> whole_number(const std::string& text, const char* option) {
  int n = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc() && next == text.data() + text.size()) return int{n};
  return Error(ErrorCode::usage, std::string(option) + ": '" + text + "' is not a number");
}

// The plot shows the way of --search.
Status check_plot(const QuantizeNetworkArguments& n) {
  if (!n.search) return Error(ErrorCode::usage, "--image is a plot of --search");
  if (std::filesystem::path(n.image.path).extension() != ".png") {
    return Error(ErrorCode::usage, "'" + n.image.path + "': the plot is a .png file");
  }
  return n.image.check();
}

// NAME.info and NAME.json lie beside the .espdl file.
std::string beside(const std::string& path, const char* extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}

Status check_outputs(const QuantizeArguments& a) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.network_options.report.check());
  for (const char* extension : {".info", ".json"}) {
    EDGETWIN_TRY(check_output(beside(a.output.path, extension), a.output.overwrite));
  }
  return a.network_options.image.empty() ? Status(Ok{}) : check_plot(a.network_options);
}

// The model last: where it is, what belongs to it is there too.
Status write_outputs(const QuantizeArguments& a, const QuantizeOutcome& outcome) {
  const twin::EspdlQuantization& q = *outcome.made;
  const QuantizeNetworkArguments& n = a.network_options;
  const Overwrite overwrite = a.output.overwrite;
  OutputGroup files;
  if (!n.report.empty()) files.add(n.report, html_of(outcome));
  if (!n.image.empty()) {
    EDGETWIN_TRY_ASSIGN(Bytes png, plot_of(outcome));
    files.add(n.image, std::move(png));
  }
  files.add({beside(a.output.path, ".info"), overwrite}, q.info);
  files.add({beside(a.output.path, ".json"), overwrite}, q.config);
  files.add(a.output, q.file);
  return files.write();
}

Result<std::vector<twin::TableAudit>> audited(const twin::EspdlQuantization& made) {
  EDGETWIN_TRY_ASSIGN(auto audits, twin::audit_tables(made.document, made.settings));
  if (!audits.empty()) return audits;
  return Error(ErrorCode::usage, "--verify has nothing to look at: the network has no table")
      .with_hint("Tables are those of 8-bit activations, and of --lut at 16 bits.");
}

// What the options of ESP-DL would change nothing for.
Status check_espdl_options(const QuantizeNetworkArguments& n, const std::string& target) {
  const char* surplus = !n.lut_formulas.empty() ? "--lut-formula"
                        : n.verify              ? "--verify"
                        : !n.runtime.empty()    ? "--runtime"
                                                : nullptr;
  if (surplus == nullptr) return Ok{};
  return Error(ErrorCode::usage,
               std::string(surplus) + " belongs to ESP-DL, and the target is " + target)
      .with_hint("Leave it out.");
}

Status check_search_options(const QuantizeNetworkArguments& n) {
  if (n.search) return Ok{};
  if (n.decibels) return Error(ErrorCode::usage, "--decibels is a wish of --search");
  if (n.most_bytes) return Error(ErrorCode::usage, "--most-bytes is a limit of --search");
  return Ok{};
}

// --shard mpi: the processes of mpirun.
constexpr const char* kRanks = "mpi";

// One shard of a search or an analysis: its part instead of a model.
Result<int> quantize_one_shard(const QuantizeArguments& a, Console& console) {
  const QuantizeNetworkArguments& n = a.network_options;
  if (n.search == n.analyse) {
    return Error(ErrorCode::usage, "--shard goes with one of --search and --analyse");
  }
  const char* surplus = !n.report.empty()     ? "--report"
                        : !n.image.empty()    ? "--image"
                        : n.verify            ? "--verify"
                        : n.decibels          ? "--decibels"
                        : n.most_bytes        ? "--most-bytes"
                        : !n.measured.empty() ? "--measured"
                                              : nullptr;
  if (surplus != nullptr) {
    return Error(ErrorCode::usage, std::string(surplus) + " changes nothing for a shard")
        .with_hint("Give it to `quantize --search --measured FILE`, or leave --shard out.");
  }
  EDGETWIN_TRY(a.output.check());  // before other processes wait for this one
  const bool by_ranks = n.shard == kRanks;
  EDGETWIN_TRY_ASSIGN(SharedWork work, SharedWork::begin(by_ranks ? "" : n.shard));
  EDGETWIN_TRY_ASSIGN(const twin::QuantizeRun run, run_of(a, console));
  auto own = twin::quantize_share(run, work.shard().number, work.shard().of);
  // Said before the end of this process ends all others.
  if (!own.ok()) return work.by_ranks() ? Result<int>(console.error(own.error())) : own.error();
  EDGETWIN_TRY_ASSIGN(const evaluation::ListPart part, work.gathered(std::move(*own)));
  if (!work.writes()) return kYes;
  EDGETWIN_TRY(write_list(part, a.output, console));
  summary("wrote " + a.output.path + "\n" + evaluation::list_text(part), console);
  return kYes;
}

Result<int> quantize_for_chip(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY(check_search_options(a.network_options));
  if (!a.network_options.shard.empty()) return quantize_one_shard(a, console);
  EDGETWIN_TRY(check_outputs(a));
  EDGETWIN_TRY_ASSIGN(const twin::QuantizeRun run, run_of(a, console));
  EDGETWIN_TRY_ASSIGN(const twin::EspdlQuantization made, twin::quantize_for_espdl(run));
  QuantizeOutcome outcome;
  outcome.model = a.checkpoint;
  outcome.target = a.target;
  outcome.command = console.command_line();
  outcome.made = &made;
  outcome.wanted = a.network_options.decibels;
  std::vector<twin::TableAudit> audits;
  if (a.network_options.verify) {
    EDGETWIN_TRY_ASSIGN(audits, audited(made));
  }
  EDGETWIN_TRY(write_outputs(a, outcome));
  summary("wrote " + a.output.path + "\n" + text_of(outcome) + tables_text(audits), console);
  add_json(outcome, console.json());
  if (a.network_options.verify) console.json().set("tables", tables_json(audits));
  console.json().set("output", a.output.path);
  if (made.missing.empty()) return kYes;
  console.json().set("missing", made.missing);
  return kNo;
}

}  // namespace

void summary(const std::string& text, Console& console) {
  if (!console.options().quiet) console.print(text);
}

Result<twin::QuantizeRun> run_of(const QuantizeArguments& a, Console& console) {
  const QuantizeNetworkArguments& n = a.network_options;
  twin::QuantizeRun run;
  run.file = a.checkpoint;
  run.progress = console.progress_sink();
  run.noticed = [&console](const Finding& f) { console.finding(f); };
  QuantizeOptions& o = run.options;
  o.target = a.target;
  o.calibrate = n.calibrate;
  o.mean = n.mean;
  o.std = n.std;
  o.nearest = n.resize == "nearest";
  o.samples = n.samples;
  o.steps = n.steps;
  o.shapes = n.shapes;
  o.method = n.method;
  o.bits = n.bits;
  o.with = n.with;
  o.without = n.without;
  o.threads = n.threads;
  o.analyse = n.analyse || !n.report.empty();
  o.like_upstream = n.like == "upstream";
  o.params = n.params;
  if (n.like == "espdl" && n.params.empty()) {
    return Error(ErrorCode::usage, "--like espdl needs --params: how pictures come in")
        .with_hint("docs/espdl-image.md has the members.");
  }
  o.high_precision = n.high_precision;
  o.lut = n.lut;
  o.lut_formulas = n.lut_formulas;
  if (!n.runtime.empty()) o.runtime = n.runtime;
  o.lut_step = n.step;
  o.search = n.search;
  o.decibels = n.decibels;
  o.most_bytes = n.most_bytes;
  o.measured = n.measured;
  const bool max78 = find_target(a.target)->family == Family::max78;
  const char* option = max78 ? "--weight-bits" : "--layer-bits";
  for (const std::string& word : max78 ? n.weight_bits : n.layer_bits) {
    EDGETWIN_TRY_ASSIGN(const auto pair, named(word, option));
    EDGETWIN_TRY_ASSIGN(o.bits_of[pair.first], whole_number(pair.second, option));
  }
  return run;
}

Result<int> execute(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Target* target, targets::require_target(a.target));
  if (target->family == Family::espdl) return quantize_for_chip(a, console);
  EDGETWIN_TRY(check_espdl_options(a.network_options, a.target));
  if (target->family != Family::max78) return quantize_for_tflite(a, console);
  const auto data = read_file(a.checkpoint);
  const bool network =
      data.ok() && !torch::looks_like_checkpoint(*data) && onnx::looks_like_onnx(*data);
  return network ? quantize_for_max78(a, console) : quantize_checkpoint(a, console);
}

}  // namespace edgetwin::cli
