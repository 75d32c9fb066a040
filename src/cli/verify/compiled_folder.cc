// `verify FOLDER`: every compiled Edge TPU model in it, executed and held against its source.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/shared/text.h"
#include "cli/verify/compiled.h"
#include "cli/verify/kinds.h"
#include "formats/darwinn/darwinn.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;

// By name, so that the order does not depend on the file system.
Result<std::vector<std::string>> compiled_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const fs::path& path = at->path();
    if (path.extension() != ".tflite" || !at->is_regular_file(failed)) continue;
    const Result<Bytes> data = read_file(path);
    if (!data.ok()) continue;
    if (darwinn::container_of(*data) == darwinn::Container::tflite) files.push_back(path.string());
  }
  if (failed) {
    return Error(ErrorCode::usage, "the folder cannot be read: " + failed.message())
        .in_file(folder);
  }
  std::ranges::sort(files);
  if (files.empty()) {
    return Error(ErrorCode::usage, "no compiled Edge TPU model is in the folder").in_file(folder);
  }
  return files;
}

struct Line {
  std::string_view verdict;  // equal, different, executed, stopped
  std::string why;
};

Line line_of(const CompiledRun& run) {
  if (run.reference == nullptr) return {"executed", "there is no network to compare with"};
  size_t elements = 0;
  size_t different = 0;
  for (const OutputAgreement& o : run.outputs) {
    elements += o.elements;
    different += o.different;
  }
  const std::string with = run.decompiled
                               ? "the decompiled network"
                               : "'" + fs::path(run.reference->file).filename().string() + "'";
  if (different == 0) return {"equal", "all " + count_text(elements) + " elements of " + with};
  return {"different",
          count_text(different) + " of " + count_text(elements) + " elements of " + with};
}

Line line_of(const Error& error) {
  std::string why = error.message + " [" + std::string(error.id()) + "]";
  if (!error.place.layer.empty()) why += "; operator " + error.place.layer;
  for (const std::string& detail : error.details) why += "; " + detail;
  return {"stopped", why};
}

}  // namespace

Result<int> verify_compiled_folder(const VerifyArguments& a, CheckSheet& sheet) {
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> files, compiled_in(a.model));
  Console& console = sheet.console();
  sheet.asked("folder", a.model);
  sheet.inputs();
  size_t equal = 0;
  size_t ran = 0;
  Json list = Json::array();
  for (const std::string& file : files) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    const Result<CompiledRun> run = run_compiled(data, file, a);
    Line line = run.ok() ? line_of(*run) : line_of(run.error());
    if (line.verdict == "different" && !run->decompiled &&
        equals_decompiled(data, file, a, *run).value_or(false)) {
      line.why += "; equal to the decompiled network";
    }
    if (run.ok()) {
      if (const auto open = twin::open_point(run->machine.report)) line.why += "; " + open->message;
    }
    const std::string name = fs::path(file).lexically_relative(a.model).string();
    sheet.row(line.verdict == "equal", std::string(line.verdict), name, line.why);
    ran += run.ok() ? 1 : 0;
    equal += line.verdict == "equal" ? 1 : 0;
    Json j = Json::object();
    j.set("file", name).set("verdict", line.verdict).set("why", line.why);
    if (run.ok()) j.set("instructions", run->machine.report.instructions);
    list.push(std::move(j));
  }
  const bool yes = equal == files.size();
  console.json().set("models", std::move(list));
  const std::string verdict = std::string(yes ? "verified" : "not verified") + ": " +
                              count_text(files.size()) + " models, " + count_text(ran) +
                              " executed, " + count_text(equal) + " equal";
  console.print(verdict + "\n");
  return sheet.finish(yes, verdict);
}

}  // namespace edgetwin::cli
