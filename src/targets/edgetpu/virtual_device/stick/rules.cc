#include "targets/edgetpu/virtual_device/stick/rules.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr RuleInfo kStickRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/edgetpu/virtual_device/stick/rules.def"
#undef RULE
};

constexpr size_t kMaxFindings = 200;

}  // namespace

RuleTable all_stick_rules() { return kStickRules; }
const RuleInfo& info(StickRule rule) { return kStickRules[static_cast<size_t>(rule)]; }

void Complaints::add(StickRule rule, const std::string& place, std::string message) {
  const RuleInfo& r = info(rule);
  const auto same = [&](const Finding& f) {
    return f.id == r.id && f.place == place && f.message == message;
  };
  if (std::any_of(list_.begin(), list_.end(), same)) return;
  if (list_.size() >= kMaxFindings) {
    ++left_out_;
    return;
  }
  list_.push_back(
      {r.severity, std::string(r.id), place, std::move(message), std::string(r.remedy)});
}

const Finding* Complaints::first_error() const {
  for (const Finding& f : list_) {
    if (f.severity == Severity::error) return &f;
  }
  return nullptr;
}

void Complaints::clear() {
  list_.clear();
  left_out_ = 0;
}

}  // namespace edgetwin::edgetpu
