// How each statement about the Edge TPU's arithmetic is known:
// numerics/edgetpu/evidence.def.
#pragma once

#include <span>
#include <string_view>

namespace edgetwin::ops {

enum class EdgetpuStatus : unsigned char { verified, probable, open };
std::string_view name(EdgetpuStatus status);

enum class EdgetpuRule : unsigned char {
#define EVIDENCE(name, id, status, statement, basis) name,
#include "numerics/edgetpu/evidence.def"
#undef EVIDENCE
};

struct EdgetpuEvidence {
  EdgetpuRule rule;
  std::string_view id;
  EdgetpuStatus status;
  std::string_view statement, basis;
};

std::span<const EdgetpuEvidence> edgetpu_evidence();
const EdgetpuEvidence& edgetpu_evidence(EdgetpuRule rule);

}  // namespace edgetwin::ops
