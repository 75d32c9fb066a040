#include <algorithm>

#include "cli/compare/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/compare_chips.h"
#include "twin/compare/parts.h"

namespace edgetwin::cli {
namespace {

Status refuse(const CompareArguments& a) {
  if (a.networks.size() > 1 && a.calibrate.size() != a.networks.size()) {
    return Error(ErrorCode::usage, std::to_string(a.networks.size()) + " networks and " +
                                       std::to_string(a.calibrate.size()) + " calibrations")
        .with_hint("Give --calibrate one path for each network, in their order.");
  }
  for (size_t i = 0; i < a.targets.size(); ++i) {
    if (std::ranges::count(a.targets, a.targets[i]) == 1) continue;
    return Error(ErrorCode::usage, "--targets names " + a.targets[i] + " twice")
        .with_hint("Name each chip once.");
  }
  return a.report.check();
}

// Beside the page; without one nothing is kept.
std::string journal_of(const CompareArguments& a, size_t network) {
  if (a.report.empty()) return "";
  const std::string name = a.report.path + ".journal";
  return network == 0 ? name : name + "-" + std::to_string(network + 1);
}

CompareChipsOptions options_of(const CompareArguments& a, size_t network) {
  CompareChipsOptions o;
  o.targets = a.targets;
  o.threads = a.threads;
  o.quantize.samples = a.samples;
  o.quantize.shapes = a.shapes;
  o.quantize.calibrate = a.calibrate;
  if (a.networks.size() > 1) o.quantize.calibrate = {a.calibrate[network]};
  o.quantize.mean = a.mean;
  o.quantize.std = a.std;
  o.journal = journal_of(a, network);
  if (a.data.empty()) return o;
  o.evaluate.emplace();
  o.evaluate->task = "classify";
  o.evaluate->data = a.data;
  o.evaluate->labels = a.labels;
  o.evaluate->mean = a.mean;
  o.evaluate->std = a.std;
  o.evaluate->limit = static_cast<uint64_t>(a.limit);
  return o;
}

}  // namespace

Result<int> execute(const CompareArguments& a, Console& console) {
  EDGETWIN_TRY(refuse(a));
  std::vector<ComparedNetwork> networks;
  bool any = false;
  for (size_t i = 0; i < a.networks.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(ComparedNetwork one,
                        compare_chips(a.networks[i], options_of(a, i), console.progress_sink()));
    for (const ComparedChip& c : one.chips) any = any || c.fits;
    if (one.resumed > 0) {
      console.note(std::to_string(one.resumed) + " of " + std::to_string(one.chips.size()) +
                   " chips are taken from " + journal_of(a, i) + ".chips");
    }
    networks.push_back(std::move(one));
  }
  console.print(compare_chips_text(networks));
  console.json().set("networks", twin::to_json(networks));
  if (!a.report.empty()) {
    EDGETWIN_TRY(a.report.write(compare_chips_page(networks, console.command_line())));
    for (size_t i = 0; i < networks.size(); ++i) {
      EDGETWIN_TRY(remove_comparison_journals(journal_of(a, i)));
    }
  }
  return any ? kYes : kNo;
}

}  // namespace edgetwin::cli
