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

void StickFindings::add(StickRule rule, const std::string& place, std::string message) {
  const RuleInfo& r = info(rule);
  const auto same = [&](const Finding& f) {
    return f.id == r.id && f.place.layer == place && f.message == message;
  };
  if (std::any_of(list_.begin(), list_.end(), same)) return;
  if (list_.size() >= kMaxFindings) {
    ++left_out_;
    return;
  }
  list_.push_back(finding_of(r, place, std::move(message)));
}

const Finding* StickFindings::first_error() const { return edgetwin::first_error(list_); }

void StickFindings::clear() {
  list_.clear();
  left_out_ = 0;
}

}  // namespace edgetwin::edgetpu
