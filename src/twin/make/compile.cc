#include "edgetwin/compile.h"

#include <algorithm>

#include "base/file.h"
#include "targets/max78/logs/log_files.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "targets/max78/rtl/rtl.h"
#include "targets/target.h"
#include "twin/make/max78_files.h"
#include "twin/max78_network.h"

namespace edgetwin {

namespace {

Status labels_fit(const max78::Plan& plan, const std::vector<std::string>& labels) {
  if (labels.empty()) return Ok{};
  if (!plan.options.softmax || !plan.options.unload) {
    return Error(ErrorCode::usage, "labels change nothing: the program prints no classes")
        .with_hint("Add --softmax, or leave --labels out.");
  }
  const max78::LayerPlan& last = plan.layer(plan.last);
  const int64_t classes = int64_t{last.out_channels} * last.out_dim.h * last.out_dim.w;
  if (static_cast<int64_t>(labels.size()) == classes) return Ok{};
  return Error(ErrorCode::usage, "there are " + std::to_string(labels.size()) + " labels for " +
                                     std::to_string(classes) + " classes")
      .with_hint("Give a text file with a class per line, in the order of the network's outputs.");
}

// The files beside the project that the options ask for.
Status add_logs(const max78::LoadedNetwork& network, Compiled& compiled) {
  if (!max78::wants_logs(network.options)) return Ok{};
  EDGETWIN_TRY_ASSIGN(const max78::NetworkRun run,
                      max78::simulate(network, network.sample, {.everything = true}));
  EDGETWIN_TRY_ASSIGN(std::vector<max78::LogFile> files,
                      max78::log_files(network.plan(), run.layers));
  for (max78::LogFile& f : files) {
    const bool taken = std::ranges::any_of(
        compiled.project, [&](const MadeFile& made) { return made.path == f.name; });
    if (taken) {
      return Error(ErrorCode::max78_option, "two files of the project would be " + f.name)
          .with_hint("Choose another --sample-numpy-filename.");
    }
    compiled.project.push_back({f.name, std::move(f.data)});
  }
  return Ok{};
}

// --rtl: the folder for a simulation of the chip's gates.
Status add_rtl_folder(const max78::LoadedNetwork& network, const CompileOptions& options,
                      Compiled& compiled) {
  EDGETWIN_TRY_ASSIGN(const max78::NetworkRun run,
                      max78::simulate(network, network.sample, {.trace = false}));
  EDGETWIN_TRY_ASSIGN(const max78::RtlFolder folder,
                      max78::make_rtl(network.plan(), network.sample, run.outputs, options.name,
                                      options.parent.size()));
  compiled.program = max78::to_text(folder.program);
  compiled.expected = max78::to_text(folder.answer);
  compiled.test_name = folder.name;
  compiled.test_line = folder.list_line;
  if (!options.project) return Ok{};
  for (const max78::ProjectFile& f : folder.files) {
    compiled.project.push_back({f.name, to_bytes(std::as_bytes(std::span(f.text)))});
  }
  return add_logs(network, compiled);
}

}  // namespace

namespace twin {

Status add_compiled_files(const max78::LoadedNetwork& network, const CompileOptions& options,
                          Compiled& compiled) {
  if (network.options.rtl.on) return add_rtl_folder(network, options, compiled);
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork made, max78::compile(network));
  compiled.program = max78::to_text(made.program);
  compiled.expected = max78::expected_text(made.expected);
  compiled.unload_reads = max78::unload_text(made.unload);
  if (!options.project) return Ok{};
  EDGETWIN_TRY(labels_fit(network.plan(), options.labels));
  max78::ProjectOptions how;
  how.name = options.name;
  how.labels = options.labels;
  how.frame = network.frame ? &*network.frame : nullptr;
  EDGETWIN_TRY_ASSIGN(const auto files, max78::make_project(network.plan(), made, how));
  for (const max78::ProjectFile& f : files) {
    compiled.project.push_back({f.name, to_bytes(std::as_bytes(std::span(f.text)))});
  }
  return add_logs(network, compiled);
}

}  // namespace twin

Result<Compiled> compile(const std::string& description, const CompileOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Target* target,
                      targets::require_target_for(options.open.target, "compile"));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(description));
  if (file_kind(data) != FileKind::max78) {
    return Error(ErrorCode::file_kind, "the file is not a network description")
        .in_file(description)
        .with_hint("Give a network .yaml; `quantize` makes one of an .onnx file.");
  }
  EDGETWIN_TRY_ASSIGN(
      const twin::Max78Network network,
      twin::open_max78(data, description, options.open, max78::SampleNeed::numbers, true));
  if (network.failure) return *network.failure;
  Compiled compiled;
  compiled.target = target;
  compiled.fits = network.fits;
  compiled.findings = network.findings;
  if (!network.fits) return compiled;
  EDGETWIN_TRY(twin::add_compiled_files(*network.network, options, compiled));
  return compiled;
}

}  // namespace edgetwin
