// The chips that a file can be made for, and what a document says about its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/espdl/document/document.h"

namespace edgetwin::espdl {

// What a file was made for: it decides the order of the weights (plain C has none of the vector
// units' blocks) and, in every computation, the rounding.
enum class Target : uint8_t { c, esp32s3, esp32p4 };
std::string_view name(Target target);  // "c", "esp32s3", "esp32p4"
// By name or alias of the table of targets.
std::optional<Target> target_by_name(std::string_view text);

// What a file says about its target without running it.
struct TargetEvidence {
  std::optional<Target> target;  // nothing: the file fits more than one
  std::string why;               // one sentence
  // Whether weights are in the blocks of a vector unit or in plain order, as far as their texts
  // say.
  std::optional<bool> blocks;
};
TargetEvidence target_evidence(const Document& document);

}  // namespace edgetwin::espdl
