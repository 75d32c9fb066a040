// `verify --silicon` of what boards of the MAX78000 printed.
#include "cli/verify/kinds.h"
#include "report/format.h"
#include "targets/max78/recordings/recordings.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::string of(const std::optional<size_t>& equal, size_t all) {
  return equal ? std::to_string(*equal) + " of " + std::to_string(all) : "-";
}

Json silicon_json(const max78::SiliconCase& c) {
  Json j = Json::object();
  j.set("case", c.name).set("sums", c.sums).set("equal", c.equal());
  if (c.machine) j.set("machine", *c.machine);
  if (c.network) j.set("network", *c.network);
  if (c.percent) j.set("percent", *c.percent);
  j.set("printed_us", c.printed_us).set("time_includes_loading", c.with_loading);
  if (c.estimated_us) j.set("estimated_us", *c.estimated_us);
  return j;
}

}  // namespace

Result<int> verify_max78_silicon(const VerifyArguments& a, Console& console) {
  VerifyReport results(a, console);
  EDGETWIN_TRY(results.can_be_written());
  EDGETWIN_TRY_ASSIGN(const max78::SiliconReport report,
                      max78::verify_silicon(a.silicon, console.progress_sink()));
  results.title("What boards printed");
  results.asked("folder", a.silicon);
  report::TextTable table(
      {{""}, {"case"}, {"machine"}, {"network"}, {"percentages"}, {"printed"}, {"estimate"}});
  Json list = Json::array();
  size_t machine = 0, network = 0, percent = 0;
  for (const max78::SiliconCase& c : report.cases) {
    const std::string word = c.equal() ? "equal" : "different";
    const std::string printed =
        std::to_string(c.printed_us) + " us" + (c.with_loading ? " with loading" : "");
    const std::string estimate =
        c.estimated_us ? std::to_string(static_cast<int64_t>(*c.estimated_us)) + " us" : "-";
    table.add({word, c.name, of(c.machine, c.sums), of(c.network, c.sums), of(c.percent, c.sums),
               printed, estimate});
    results.only_on_page({c.equal(), word, c.name,
                          "machine " + of(c.machine, c.sums) + ", network " +
                              of(c.network, c.sums) + ", percentages " + of(c.percent, c.sums) +
                              "; printed " + printed + ", estimate " + estimate});
    list.push(silicon_json(c));
    machine += c.machine.value_or(0);
    network += c.network.value_or(0);
    percent += c.percent.value_or(0);
  }
  console.print(table.text(0));
  for (const max78::SiliconCase& c : report.cases) {
    if (!c.first.empty()) console.print("first       " + c.name + ": " + c.first + "\n");
  }
  console.json().set("cases", std::move(list)).set("sums", report.sums());
  const bool yes = report.equal();
  const std::string line = std::to_string(report.sums()) +
                           " sums of boards: " + std::to_string(machine) +
                           " equal by the machine, " + std::to_string(network) +
                           " by the network, " + std::to_string(percent) + " percentages";
  console.print(line + "\n" + (yes ? "verified\n" : "not verified\n"));
  return results.finish(yes, (yes ? "verified: " : "not verified: ") + line);
}

}  // namespace edgetwin::cli
