// What every kind of `verify` gathers while it prints: rows, findings and the verdict, for the
// console, for the JSON document and for the page of --report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/shared/console.h"
#include "cli/verify/arguments.h"
#include "report/page/check_page.h"

namespace edgetwin::cli {

class VerifyReport {
 public:
  // The page is called after a file, by its name alone.
  VerifyReport(const VerifyArguments& arguments, Console& console);

  Console& console() { return console_; }
  // Errors, before the work begins: output_exists, file_write.
  Status can_be_written() const;

  // On the page only.
  void title(std::string text) { page_.title = std::move(text); }
  void asked(std::string what, std::string which);
  void only_on_page(report::CheckRow row) { page_.rows.push_back(std::move(row)); }

  // A line "word  what  detail", the word as wide as `kWordWidth`; false in `passed` makes the
  // verdict no only where the caller says so at the end.
  void row(bool passed, const std::string& word, const std::string& what,
           const std::string& detail = "");
  // Such a line of two things that were compared: "equal" or "different".
  void compared(bool equal, const std::string& what, const std::string& detail = "");
  void finding(const Finding& finding);
  // The inputs that were computed with: a line, and a member of the document.
  void inputs();

  // `yes` into the document, the page with this verdict. Gives the exit code. Errors: file_write.
  Result<int> finish(bool yes, std::string verdict);

 private:
  const VerifyArguments& arguments_;
  Console& console_;
  report::CheckPage page_;
};

// Where no input was named every input is pseudo-random, of one seed for all programs.
VerifyArguments with_inputs(VerifyArguments arguments);

}  // namespace edgetwin::cli
