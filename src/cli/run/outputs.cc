#include "cli/run/outputs.h"

#include <filesystem>

#include "cli/networks/page.h"

namespace edgetwin::cli {
namespace {

// True where one folder is the other, or lies in it.
bool nested(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto place = [&ignored](const std::string& path) {
    namespace fs = std::filesystem;
    std::string text = fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
    if (!text.ends_with('/')) text += '/';
    return text;
  };
  const std::string x = place(a);
  const std::string y = place(b);
  return x.starts_with(y) || y.starts_with(x);
}

}  // namespace

Result<OutputFolders> open_folders(const RunArguments& a) {
  OutputFolders folders;
  if (!a.output.empty() && !a.trace.empty() && nested(a.output.path, a.trace.path)) {
    return Error(ErrorCode::usage, "--output and --trace name the same folder, or one in the other")
        .with_hint("Name two folders side by side.");
  }
  if (!a.image.empty()) {
    EDGETWIN_TRY(a.image.check());
  }
  if (!a.report.empty()) EDGETWIN_TRY(check_page(a.report, {a.output.path, a.trace.path}));
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    folders.output.emplace(std::move(folder));
  }
  if (!a.trace.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.trace.folder());
    folders.trace.emplace(std::move(folder));
  }
  return folders;
}

Status commit(OutputFolders& folders) {
  if (folders.output) EDGETWIN_TRY(folders.output->commit());
  if (folders.trace) EDGETWIN_TRY(folders.trace->commit());
  return Ok{};
}

}  // namespace edgetwin::cli
