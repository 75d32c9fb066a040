// A YAML document as a tree in which every node knows its place. Aliases are written out and merge
// keys are done; limits hold for what they become, so that no short file can grow without bound.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/ai8x/network.h"

namespace edgetwin::ai8x {

inline constexpr size_t kMaxYamlBytes = size_t{1} << 20;
inline constexpr size_t kMaxYamlNodes = 200'000;
inline constexpr size_t kMaxYamlDepth = 32;

enum class YamlKind : uint8_t { scalar, sequence, map };

struct YamlNode {
  YamlKind kind = YamlKind::scalar;
  bool quoted = false;             // a scalar in quotes is a text, whatever it says
  std::string text;                // of a scalar; empty: null unless quoted
  std::vector<YamlNode> children;  // of a map: key, value, key, value ...
  Mark mark;
};

// The one document of `text`. Errors: ai8x_yaml, ai8x_yaml_limit, with line and column.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& file);

}  // namespace edgetwin::ai8x
