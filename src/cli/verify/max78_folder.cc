// `verify DIR` of a folder of `compile --rtl`: memories loaded, the program executed, words
// compared.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/verify/kinds.h"
#include "report/format.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/rtl/rtl.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 4096;

// The files that a test is read from, by their names in the folder.
Result<std::vector<max78::ProjectFile>> rtl_files(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto it = fs::recursive_directory_iterator(folder, failed);
       !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
    const std::string name = it->path().lexically_relative(folder).generic_string();
    if (it.depth() > 1 || !max78::is_rtl_file(name)) continue;
    names.push_back(name);
    if (names.size() > kMostFiles) break;
  }
  std::sort(names.begin(), names.end());
  std::vector<max78::ProjectFile> files;
  for (const std::string& name : names) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(fs::path(folder) / name));
    files.push_back({name, std::string(as_text(data))});
  }
  return files;
}

}  // namespace

bool is_rtl_folder(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return false;
  for (const char* name : {"program.txt", "input.mem"}) {
    if (fs::is_regular_file(fs::path(folder) / name, ignored)) return true;
  }
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".c") return true;
  }
  return false;
}

Result<int> verify_rtl_folder(const VerifyArguments& a, VerifyReport& results) {
  EDGETWIN_TRY_ASSIGN(const auto files, rtl_files(a.model));
  max78::Device device = max78::Device::max78000;
  EDGETWIN_TRY_ASSIGN(const max78::RtlTest test, max78::read_rtl(files, device));
  max78::MachineOptions options;
  options.keep_sums = true;
  options.step_limit = a.step_limit;
  max78::Machine machine(device, options);
  results.asked("folder", a.model);
  results.asked("target", std::string(max78::name(device)));
  const Status played = max78::play(max78::as_text(test.program, device), machine);
  bool yes = played.ok() && machine.layers_done() > 0;
  for (const Finding& f : machine.findings()) {
    results.finding(f);
    yes = yes && f.severity != Severity::error;
  }
  if (!played.ok()) return played.error();
  const max78::Comparison words = max78::compare(machine, test.expected);
  std::string detail = report::count_text(static_cast<int64_t>(words.words)) + " words";
  if (words.different > 0) {
    detail += ", " + report::count_text(static_cast<int64_t>(words.different)) + " differ";
  }
  if (test.sources) results.asked("program", "read from the C sources");
  if (test.checks > 0 && words.words == 0) {
    // Each that fails ends the run with an error.
    results.compared(true, "checks of the program",
                     report::count_text(static_cast<int64_t>(test.checks)) + " words");
  } else if (words.words == 0) {
    results.row(false, "nothing", "the folder has no words to compare");
  } else {
    results.compared(words.different == 0, "expected words", detail);
  }
  for (const max78::WordDifference& d : words.first) {
    results.console().print("  " + max78::describe(d) + "\n");
  }
  yes = yes && words.words + test.checks > 0 && words.different == 0;
  results.console().json().set("words", words.words).set("words_different", words.different);
  const std::string verdict = std::string(yes ? "verified" : "not verified") +
                              ": the machine ran " + std::to_string(machine.layers_done()) +
                              " layers in " +
                              report::count_text(static_cast<int64_t>(machine.steps())) + " steps";
  results.console().print(verdict + "\n");
  return results.finish(yes, verdict);
}

}  // namespace edgetwin::cli
