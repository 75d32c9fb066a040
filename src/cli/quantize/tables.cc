#include "cli/quantize/tables.h"

#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

std::string error_text(const lut::RuleReport& rule) {
  return rule.runs ? std::to_string(rule.deviation.largest) + " LSB" : "stops";
}

Json rule_json(const lut::RuleReport& rule) {
  Json j = Json::object();
  j.set("runs", rule.runs);
  if (!rule.runs) return j;
  j.set("largest_lsb", rule.deviation.largest).set("mean_lsb", rule.deviation.mean);
  return j.set("differing", rule.deviation.differing).set("inputs", rule.deviation.inputs);
}

}  // namespace

std::string tables_text(const std::vector<twin::TableAudit>& audits) {
  if (audits.empty()) return "";
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{"table"},
                   {"function"},
                   {"bits", kRight},
                   {"step", kRight},
                   {"entries", kRight},
                   {"interpolated", kRight},
                   {"nearest", kRight}});
  for (const twin::TableAudit& a : audits) {
    const lut::TableSpec& s = a.report.spec;
    table.add({report::shortened(a.layer, 40), report::shortened(lut::function_name(s), 24),
               std::to_string(s.bits), std::to_string(s.step),
               report::count_text(a.report.parity.entries), error_text(a.report.interpolate),
               error_text(a.report.nearest)});
  }
  return "\ntables, computed for all inputs: every entry is that of its function; largest error "
         "of the outputs\nup to 3.3.7 (interpolated) and from 3.3.8 on (nearest)\n" +
         table.text();
}

Json tables_json(const std::vector<twin::TableAudit>& audits) {
  Json list = Json::array();
  for (const twin::TableAudit& a : audits) {
    const lut::TableSpec& s = a.report.spec;
    Json j = Json::object();
    j.set("layer", a.layer).set("table", a.table).set("function", lut::function_name(s));
    j.set("bits", s.bits).set("step", s.step).set("entries", a.report.parity.entries);
    j.set("in_exponent", s.in_exponent).set("out_exponent", s.out_exponent);
    j.set("interpolate", rule_json(a.report.interpolate));
    list.push(j.set("nearest", rule_json(a.report.nearest)));
  }
  return list;
}

}  // namespace edgetwin::cli
