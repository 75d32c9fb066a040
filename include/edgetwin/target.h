// The chips that a network can be made for: the table src/targets/targets.def. docs/concepts.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"

namespace edgetwin {

enum class Family : uint8_t { edgetpu, max78, espdl, tflite };
EDGETWIN_API std::string_view name(Family family);

struct Target {
  std::string_view name;  // "esp32p4"
  Family family{};
  std::string_view numerics;              // row of the table of numerics: "espdl-p4"
  std::vector<std::string_view> aliases;  // other spellings: "p4"
  std::vector<std::string_view> takes;    // endings of the files whose networks it computes
  std::string_view summary;               // one line
};

// All chips, in the order of the table. Lives as long as the program.
EDGETWIN_API std::span<const Target> all_targets();

// The chip of that name or alias, in any case; null: there is none.
EDGETWIN_API const Target* find_target(std::string_view name);

// Why a verb ("compile", "firmware", …) is not there for a chip, or for all chips of a family;
// empty: it is there. docs/targets.md has all of them.
EDGETWIN_API std::string_view lacks(const Target& target, std::string_view verb);
EDGETWIN_API std::string_view lacks(Family family, std::string_view verb);

}  // namespace edgetwin
