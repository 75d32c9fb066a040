// `verify --silicon` of what boards with ESP-DL printed.
#include "cli/verify/kinds.h"
#include "cli/verify/verify_report.h"
#include "report/format.h"
#include "twin/verify/boards.h"

namespace edgetwin::cli {

Result<int> verify_espdl_silicon(const VerifyArguments& a, Console& console) {
  using report::Json;
  using twin::BoardOutcome;
  VerifyReport results(a, console);
  EDGETWIN_TRY(results.can_be_written());
  EDGETWIN_TRY_ASSIGN(const twin::BoardReport report,
                      twin::verify_boards(a.silicon, a.models, console.progress_sink()));
  results.title("What boards printed");
  results.asked("folder", a.silicon);
  report::TextTable table({{""}, {"case"}, {"found"}});
  Json list = Json::array();
  for (const twin::BoardCase& c : report.cases) {
    const std::string word(name(c.outcome));
    table.add({word, c.id, c.found});
    results.only_on_page({c.outcome != BoardOutcome::different, word, c.id, c.found});
    Json j = Json::object();
    list.push(j.set("case", c.id).set("outcome", word).set("found", c.found));
  }
  console.print(table.text(0));
  if (report.count(BoardOutcome::near) > 0) {
    console.note(
        "near: the chip's JPEG decoder is closed, so that its pixels are not known; decoders that "
        "differ by a level move boxes by 1 to 11 pixels and scores by a step or two");
  }
  console.json().set("cases", std::move(list));
  std::string line;
  for (const BoardOutcome o :
       {BoardOutcome::equal, BoardOutcome::near, BoardOutcome::explained, BoardOutcome::neutral,
        BoardOutcome::different, BoardOutcome::missing}) {
    line +=
        (line.empty() ? "" : ", ") + std::to_string(report.count(o)) + " " + std::string(name(o));
    console.json().set(std::string(name(o)), report.count(o));
  }
  const bool yes = report.verified();
  console.print(line + "\n" + (yes ? "verified\n" : "not verified\n"));
  return results.finish(yes, (yes ? "verified: " : "not verified: ") + line);
}

}  // namespace edgetwin::cli
