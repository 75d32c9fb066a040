// `lut demo`: the whole way of a table in one command.
#include "base/file.h"
#include "cli/lut/arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "report/json.h"
#include "twin/make/lut_demo.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::string lsb_text(const lut::RuleReport& rule) {
  return rule.runs ? std::to_string(rule.deviation.largest) + " LSB" : "stops";
}

std::string cases_text(const twin::LutDemo& demo) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"chip"},
                           {"function"},
                           {"input"},
                           {"output"},
                           {"entries", Align::right},
                           {"interpolated", Align::right},
                           {"nearest", Align::right},
                           {"network"},
                           {""}});
  for (const twin::LutDemoCase& c : demo.cases) {
    const lut::TableSpec& s = c.report.spec;
    table.add({c.target, c.function, "2^" + std::to_string(s.in_exponent),
               "2^" + std::to_string(s.out_exponent), report::count_text(c.report.form.count),
               lsb_text(c.report.interpolate), lsb_text(c.report.nearest),
               c.differing == 0 ? "equal" : report::count_text(c.differing) + " differ",
               c.good() ? "good" : "not good"});
  }
  return table.text();
}

Json cases_json(const twin::LutDemo& demo) {
  Json list = Json::array();
  for (const twin::LutDemoCase& c : demo.cases) {
    const lut::TableSpec& s = c.report.spec;
    Json j = Json::object();
    j.set("target", c.target).set("function", c.function).set("good", c.good());
    j.set("in_exponent", s.in_exponent).set("out_exponent", s.out_exponent).set("step", s.step);
    j.set("interpolate_largest_lsb", c.report.interpolate.deviation.largest);
    j.set("nearest_largest_lsb", c.report.nearest.deviation.largest);
    list.push(j.set("network_differing", c.differing));
  }
  return list;
}

}  // namespace

Result<int> execute(const LutDemoArguments& a, Console& console) {
  twin::LutDemoOptions options;
  options.functions = a.functions;
  options.targets = a.targets;
  options.step = a.step;
  options.runtime = a.runtime;
  options.progress = console.progress_sink();
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY_ASSIGN(const twin::LutDemo demo, twin::lut_demo(options));
  for (const MadeFile& f : demo.files) EDGETWIN_TRY(folder.write(f.path, f.bytes));
  EDGETWIN_TRY(folder.commit());
  size_t good = 0;
  for (const twin::LutDemoCase& c : demo.cases) good += c.good() ? 1 : 0;
  const bool all = good == demo.cases.size();
  const std::string verdict =
      std::string(all ? "good: " : "not good: ") + std::to_string(good) + " of " +
      std::to_string(demo.cases.size()) +
      " tables hold their function, and their network gives the same for all 65,536 inputs";
  console.print(
      cases_text(demo) + "wrote " + a.output.path + ": " + std::to_string(demo.files.size()) +
      " files: networks, tables, pictures, headers, mapping.json, firmware\n" + verdict + "\n");
  console.json().set("verdict", verdict).set("output", a.output.path);
  console.json().set("runtime", a.runtime).set("cases", cases_json(demo));
  return all ? kYes : kNo;
}

}  // namespace edgetwin::cli
