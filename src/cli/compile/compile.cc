#include <filesystem>

#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/decode.h"
#include "estimate/max78/max78.h"
#include "estimate/output.h"
#include "targets/max78/page/texts.h"
#include "targets/target.h"
#include "twin/make/max78_files.h"

namespace edgetwin::cli {
namespace {

// Text files of the program, each only if it is named.
Status write_texts(const CompileArguments& a, const Compiled& compiled) {
  const auto put = [](const Output& file, const std::string& text) -> Status {
    return file.empty() ? Status(Ok{}) : file.write(std::string_view(text));
  };
  EDGETWIN_TRY(put(a.program, compiled.program));
  EDGETWIN_TRY(put(a.expected, compiled.expected));
  return put(a.unload_reads, compiled.unload_reads);
}

// What only the project has needs a project.
Status project_is_written(const CompileArguments& a) {
  if (!a.output.empty()) return Ok{};
  const auto refuse = [](const std::string& option) {
    return Error(ErrorCode::usage, option + " changes nothing without a project")
        .with_hint("Add -o DIR for the project, or leave " + option + " out.");
  };
  if (!a.labels.empty()) return refuse("--labels");
  if (!a.prefix.empty()) return refuse("--prefix");
  for (const std::string& word : a.max78.options) {
    const std::string option = word.substr(0, word.find('='));
    for (const char* name :
         {"--log-intermediate", "--log-pooling", "--debug-computation", "--sample-numpy-filename",
          "--c-filename", "--api-filename", "--weight-filename", "--sample-filename",
          "--sample-output-filename", "--verify-writes", "--define-default-arm",
          "--define-default-riscv", "--eclipse-openocd-args", "--autogen"}) {
      if (option == name) return refuse(option);
    }
  }
  return Ok{};
}

Status write_project(const CompileArguments& a, const Compiled& compiled, Console& console) {
  if (a.output.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  for (const MadeFile& f : compiled.project) EDGETWIN_TRY(folder.write(f.path, f.bytes));
  EDGETWIN_TRY(folder.commit());
  console.print("wrote       " + a.output.path + ": " + std::to_string(compiled.project.size()) +
                " files for " + a.max78.target + "\n");
  return Ok{};
}

// --autogen: the line of this folder in the list of tests, if it is not there.
Status add_to_list(const max78::RtlOptions& rtl, const std::string& line) {
  if (line.empty()) return Ok{};
  const std::filesystem::path folder = rtl.autogen;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Error(ErrorCode::usage, "--autogen: '" + rtl.autogen + "' is not a folder")
        .with_hint("Make the folder, or leave --autogen out.");
  }
  const std::filesystem::path list = folder / rtl.autogen_list;
  std::string text;
  if (std::filesystem::exists(list, ignored)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(list.string()));
    text = std::string(as_text(data));
  }
  if (text.find(line) != std::string::npos) return Ok{};
  if (!text.empty() && text.back() != '\n') text += '\n';
  return write_file(list, std::string_view(text + line + "\n"), Overwrite::yes);
}

// The first line of `edgetwin estimate`, which also knows what the vendor's cycles leave out.
Status show_estimate(const max78::LoadedNetwork& job, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Estimate e, estimates::estimate_max78(job.planning, {}));
  console.print("estimate    " + estimates::latency_text(e) + ", " + e.headline + "\n");
  const auto latency = estimates::to_json(e).get("latency_ms");
  console.json().set("latency_ms", latency ? *latency : report::Json());
  return Ok{};
}

// Options of a second network, where there is none.
Status refuse_second(const CompileArguments& a) {
  if (!a.second.empty()) return Ok{};
  const bool none = a.second_checkpoint.empty() && a.second_weights.empty() &&
                    a.second_bias.empty() && a.second_sample.empty() && a.memory.empty();
  if (none) return Ok{};
  return Error(ErrorCode::usage, "--second-… and --memory belong to a second network")
      .with_hint("Name its description after the first one, or leave them out.");
}

void show_test(const Compiled& compiled, Console& console) {
  if (compiled.test_name.empty()) return;
  console.print("test        " + compiled.test_name + "\n");
  console.json().set("test", compiled.test_name);
}

}  // namespace

Status write_compiled(const CompileArguments& a, const Compiled& compiled, Console& console) {
  EDGETWIN_TRY(write_texts(a, compiled));
  return write_project(a, compiled, console);
}

Result<int> execute(const CompileArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_second(a));
  if (targets::find_id(a.max78.target) == targets::Id::edgetpu) {
    if (a.second.empty()) return compile_for_edgetpu(a, console);
    return Error(ErrorCode::usage, "two networks in one program are for the MAX78000 and MAX78002")
        .with_hint("edgetpu_compiler A.tflite B.tflite compiles several for one Edge TPU.");
  }
  if (!a.proof.empty() || a.fail_on_fallback || a.min_runtime_version || !a.compare.empty() ||
      !a.like.empty() || a.segments) {
    return Error(ErrorCode::usage,
                 "--proof, --compare, --like, --segments, --fail-on-fallback and "
                 "--min-runtime-version "
                 "belong to the Edge TPU")
        .with_hint("Leave them out, or say --target edgetpu.");
  }
  if (a.output.empty() && a.program.empty() && a.expected.empty() && a.unload_reads.empty()) {
    return Error(ErrorCode::usage, "nothing to write was named")
        .with_hint("Add -o DIR for the project, or --program FILE.");
  }
  EDGETWIN_TRY(project_is_written(a));
  for (const Output* file : {&a.program, &a.expected, &a.unload_reads}) {
    EDGETWIN_TRY(file->check());
  }
  if (!a.second.empty()) return compile_pair(a, console);
  EDGETWIN_TRY(check_max78_pages(a.max78));
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome, load_max78(a.max78, max78::SampleNeed::numbers,
                                                             console, false, a.plan, true));
  if (!outcome.ok) {
    if (outcome.job == nullptr && outcome.findings.empty()) return outcome.exit_code;
    EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": the network does not fit",
                                   console));
    return outcome.exit_code;
  }
  const max78::LoadedNetwork& job = *outcome.job;
  if (a.plan) EDGETWIN_TRY(prove_plan(a.max78, job, console));
  CompileOptions options;
  if (!a.prefix.empty()) options.name = a.prefix;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(options.labels, read_labels(a.labels));
  }
  options.project = !a.output.empty();
  options.parent = std::filesystem::path(a.output.path).parent_path().string();
  Compiled compiled;
  EDGETWIN_TRY(twin::add_compiled_files(job, options, compiled));
  if (options.project) {
    for (const MadeFile& f : outcome.made) compiled.project.push_back(f);
  }
  EDGETWIN_TRY(write_compiled(a, compiled, console));
  EDGETWIN_TRY(add_to_list(job.options.rtl, compiled.test_line));
  show_test(compiled, console);
  EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": compiled", console));
  console.print(max78::statistics_text(job.plan()));
  EDGETWIN_TRY(show_estimate(job, console));
  show_stand_in(outcome, console);
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  console.json().set("statistics", max78::statistics_json(job.plan()));
  console.json().set("memory", max78::memory_json(job.planning));
  if (!a.output.empty()) {
    report::Json files = report::Json::array();
    for (const MadeFile& f : compiled.project) files.push(f.path);
    console.json().set("output", a.output.path).set("files", std::move(files));
  }
  return kYes;
}

}  // namespace edgetwin::cli
