#include "targets/edgetpu/sync/rules.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu::sync {
namespace {

constexpr RuleInfo kOrderRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/edgetpu/sync/rules.def"
#undef RULE
};

constexpr size_t kMostWaiting = 40;  // engines in one message

Rule rule_of(const Race& race) {
  if (race.same_bytes()) return Rule::same_bytes;
  switch (race.kind) {
    case RaceKind::read_after_write:
      return Rule::read_after_write;
    case RaceKind::write_after_read:
      return Rule::write_after_read;
    case RaceKind::write_after_write:
      return Rule::write_after_write;
  }
  return Rule::read_after_write;
}

std::string text_of(const Race& race, const SyncReport& report) {
  return report.steps[race.step] + " and " + report.steps[race.other] + ": " +
         std::string(name(race.kind)) + ", " + std::string(name(race.memory)) + " " +
         std::to_string(race.place) + " of tile " + std::to_string(std::countr_zero(race.tiles)) +
         " first, " + std::to_string(race.count) + " accesses in " +
         std::to_string(std::popcount(race.tiles)) + " tiles" +
         (race.same_bytes() ? "; both write the same bytes" : "");
}

}  // namespace

size_t errors_in(const std::vector<Finding>& findings) {
  const auto is_error = [](const Finding& f) { return f.severity == Severity::error; };
  return static_cast<size_t>(std::ranges::count_if(findings, is_error));
}

RuleTable all_rules() { return kOrderRules; }
const RuleInfo& info(Rule rule) { return kOrderRules[static_cast<size_t>(rule)]; }

std::vector<Finding> findings_of(const SyncReport& report, const std::string& place) {
  std::vector<Finding> all;
  if (report.standstill) {
    std::string text = "the program stands still";
    size_t n = 0;
    for (const Standstill::Waiting& w : report.standstill->waiting) {
      if (++n > kMostWaiting) break;
      text += "; " + w.engine + " at " + w.step + " waits: " + w.reason;
    }
    all.push_back(finding_of(info(Rule::standstill), place, std::move(text)));
  }
  for (const Race& race : report.races) {
    all.push_back(finding_of(info(rule_of(race)), place, text_of(race, report)));
  }
  return all;
}

}  // namespace edgetwin::edgetpu::sync
