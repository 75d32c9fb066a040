#include "targets/edgetpu/virtual_device/fault_words.h"

#include <charconv>

#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {
namespace {

Error not_a_fault(std::string what) {
  std::string kinds;
  for (const UsbFaultInfo& f : all_usb_faults()) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(f.name);
  }
  return Error(ErrorCode::usage, std::move(what))
      .with_hint("KIND@N or KIND@WHERE[:N]; kinds: " + kinds +
                 "; WHERE: control, out, output, event, interrupt.");
}

std::optional<uint64_t> fault_number(std::string_view text) {
  uint64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = r.ec == std::errc() && r.ptr == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

// Which transfers a word means.
bool is_at(std::string_view where, const AboutToMove& t) {
  if (where == "control") return t.control;
  if (t.control) return false;
  if (where == "out") return t.endpoint == endpoint::kOut;
  if (where == "output") return t.endpoint == endpoint::kOutput;
  if (where == "event") return t.endpoint == endpoint::kEvent;
  return where == "interrupt" && t.endpoint == endpoint::kInterrupt;
}

bool is_place(std::string_view where) {
  for (const char* known : {"control", "out", "output", "event", "interrupt"}) {
    if (where == known) return true;
  }
  return false;
}

}  // namespace

std::string fault_list() {
  std::string text;
  for (const UsbFaultInfo& f : all_usb_faults()) {
    text += std::string(f.name) + ": " + std::string(f.text) + "\n";
  }
  return text;
}

Result<FaultAt> parse_fault(std::string_view text) {
  const size_t at = text.find('@');
  std::optional<UsbFault> kind;
  for (const UsbFaultInfo& f : all_usb_faults()) {
    if (f.name == text.substr(0, at)) kind = f.fault;
  }
  if (!kind) return not_a_fault("there is no fault '" + std::string(text.substr(0, at)) + "'");
  if (at == std::string_view::npos) {
    return not_a_fault("'" + std::string(text) + "' does not say which transfer fails");
  }
  const std::string_view place = text.substr(at + 1);
  if (const auto number = fault_number(place)) {
    return FaultAt(
        [kind, n = *number](const AboutToMove& t) { return t.number == n ? kind : std::nullopt; });
  }
  const size_t colon = place.find(':');
  const std::string where(place.substr(0, colon));
  const auto which = colon == std::string_view::npos ? std::optional<uint64_t>(0)
                                                     : fault_number(place.substr(colon + 1));
  if (!is_place(where) || !which) {
    return not_a_fault("'" + std::string(place) + "' is not a transfer");
  }
  return FaultAt(
      [kind, where, left = *which](const AboutToMove& t) mutable -> std::optional<UsbFault> {
        if (!is_at(where, t)) return std::nullopt;
        const bool now = left == 0;
        --left;  // beyond 0 it does not come back before 2^64 transfers
        return now ? kind : std::nullopt;
      });
}

}  // namespace edgetwin::edgetpu
