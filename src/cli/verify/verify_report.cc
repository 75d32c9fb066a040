#include "cli/verify/verify_report.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/networks/page.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/version.h"

namespace edgetwin::cli {
namespace {

constexpr size_t kWordWidth = 9;
constexpr std::string_view kAnyInput = "xs32:1";

// The name of a file or folder by itself; a folder may end in a slash.
std::string name_of(const std::filesystem::path& path) {
  const std::filesystem::path name = path.filename();
  return (name.empty() ? path.parent_path().filename() : name).string();
}

}  // namespace

VerifyReport::VerifyReport(const VerifyArguments& arguments, Console& console)
    : arguments_(arguments), console_(console) {
  page_.version = std::string(version());
  page_.command = console.command_line();
  if (!arguments.model.empty()) title(name_of(arguments.model));
}

Status VerifyReport::can_be_written() const {
  return arguments_.report.empty() ? Ok{} : check_page(arguments_.report, {});
}

void VerifyReport::asked(std::string what, std::string which) {
  page_.asked.emplace_back(std::move(what), std::move(which));
}

void VerifyReport::row(bool passed, const std::string& word, const std::string& what,
                       const std::string& detail) {
  std::string padded = word;
  padded.resize(std::max(padded.size(), kWordWidth), ' ');
  console_.print(padded + "  " + what + (detail.empty() ? "" : "  " + detail) + "\n");
  page_.rows.push_back({passed, word, what, detail});
}

void VerifyReport::compared(bool equal, const std::string& what, const std::string& detail) {
  row(equal, equal ? "equal" : "different", what, detail);
}

void VerifyReport::finding(const Finding& finding) {
  console_.finding(finding);
  page_.findings.push_back(finding);
}

void VerifyReport::inputs() {
  report::Json list = report::Json::array();
  std::string text;
  for (const std::string& word : arguments_.inputs) {
    text += (text.empty() ? "" : " ") + word;
    list.push(word);
  }
  console_.print("inputs     " + text + "\n");
  console_.json().set("inputs", std::move(list));
  asked("inputs", text);
}

Result<int> VerifyReport::finish(bool yes, std::string verdict) {
  console_.json().set("yes", yes);
  page_.yes = yes;
  page_.verdict = std::move(verdict);
  if (!arguments_.report.empty()) {
    EDGETWIN_TRY(arguments_.report.write(std::string_view(report::html_page(page_))));
  }
  return yes ? kYes : kNo;
}

VerifyArguments with_inputs(VerifyArguments arguments) {
  if (arguments.inputs.empty()) arguments.inputs.emplace_back(kAnyInput);
  return arguments;
}

}  // namespace edgetwin::cli
