#include "targets/edgetpu/virtual_device/stick/rules.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr StickRuleInfo kRules[] = {
#define RULE(name, id, severity, title, text) \
  {StickRule::name, #name, id, Severity::severity, title, text},
#include "targets/edgetpu/virtual_device/stick/rules.def"
#undef RULE
};

constexpr size_t kMaxFindings = 200;

}  // namespace

std::span<const StickRuleInfo> all_stick_rules() { return kRules; }
const StickRuleInfo& info(StickRule rule) { return kRules[static_cast<size_t>(rule)]; }

const StickRuleInfo* find_stick_rule(std::string_view id) {
  for (const StickRuleInfo& r : kRules) {
    if (r.id == id) return &r;
  }
  return nullptr;
}

void Complaints::add(StickRule rule, const std::string& place, std::string message) {
  const StickRuleInfo& r = info(rule);
  const auto same = [&](const Finding& f) {
    return f.id == r.id && f.place == place && f.message == message;
  };
  if (std::any_of(list_.begin(), list_.end(), same)) return;
  if (list_.size() >= kMaxFindings) {
    ++left_out_;
    return;
  }
  list_.push_back({r.severity, std::string(r.id), place, std::move(message), std::string(r.text)});
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
