#include "ops/edgetpu/evidence.h"

#include <array>

namespace edgetwin::ops {
namespace {

constexpr std::array kRows = {
#define EVIDENCE(name, id, status, statement, basis) \
  EdgetpuEvidence{EdgetpuRule::name, id, EdgetpuStatus::status, statement, basis},
#include "numerics/edgetpu/evidence.def"
#undef EVIDENCE
};

}  // namespace

std::string_view name(EdgetpuStatus status) {
  switch (status) {
    case EdgetpuStatus::verified:
      return "verified";
    case EdgetpuStatus::probable:
      return "probable";
    case EdgetpuStatus::open:
      break;
  }
  return "open";
}

std::span<const EdgetpuEvidence> edgetpu_evidence() { return kRows; }

const EdgetpuEvidence& edgetpu_evidence(EdgetpuRule rule) {
  return kRows[static_cast<size_t>(rule)];
}

}  // namespace edgetwin::ops
