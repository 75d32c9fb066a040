#include <algorithm>

#include "base/text.h"
#include "formats/ai8x/reader.h"

namespace edgetwin::ai8x {

Finding& Findings::put(Severity severity, ErrorCode code, Mark mark, std::string field,
                       std::string message) {
  size_t& count = counts_[static_cast<size_t>(severity)];
  if (count >= kMaxFindings) return surplus_;
  ++count;
  Finding entry = finding_of(Error(code, std::move(message)), severity);
  entry.place.file = file_;
  if (mark) {
    entry.place.line = mark.line;
    entry.place.column = mark.column;
  }
  entry.place.layer = layer_;
  entry.place.field = std::move(field);
  report_.findings.push_back(std::move(entry));
  return report_.findings.back();
}

Finding& Findings::error(ErrorCode code, Mark mark, std::string field, std::string message) {
  return put(Severity::error, code, mark, std::move(field), std::move(message));
}
Finding& Findings::warning(ErrorCode code, Mark mark, std::string field, std::string message) {
  return put(Severity::warning, code, mark, std::move(field), std::move(message));
}
Finding& Findings::note(ErrorCode code, Mark mark, std::string field, std::string message) {
  return put(Severity::note, code, mark, std::move(field), std::move(message));
}

Finding& Values::wrong(const YamlNode& node, std::string_view key, const std::string& expected) {
  return findings_.error(
      ErrorCode::ai8x_type, node.mark, std::string(key),
      "'" + std::string(key) + "' is " + described(node) + "; it takes " + expected);
}

std::optional<int64_t> Values::integer(const YamlNode& node, std::string_view key, int64_t low,
                                       int64_t high) {
  const auto value = as_integer(node);
  if (!value) {
    wrong(node, key, "a whole number");
    return std::nullopt;
  }
  const bool fits = !value->too_large && value->size <= static_cast<uint64_t>(INT64_MAX);
  const int64_t number = static_cast<int64_t>(value->size) * (value->negative ? -1 : 1);
  if (!fits || number < low || number > high) {
    findings_.error(ErrorCode::ai8x_range, node.mark, std::string(key),
                    "'" + std::string(key) + "' is " + shown(node.text) + "; it can be " +
                        std::to_string(low) + " to " + std::to_string(high));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> Values::boolean(const YamlNode& node, std::string_view key) {
  if (const auto value = as_boolean(node)) return value;
  if (const auto number = as_integer(node)) return number->size != 0;
  if (is_null(node)) return false;
  Finding& error = wrong(node, key, "true or false");
  if (node.quoted) error.hint = "without quotes; the vendor's loader takes any text as true";
  return std::nullopt;
}

std::optional<std::string> Values::text(const YamlNode& node, std::string_view key) {
  if (node.kind == YamlKind::scalar && !is_null(node) && !node.text.empty()) return node.text;
  wrong(node, key, "a text");
  return std::nullopt;
}

std::optional<uint64_t> Values::map(const YamlNode& node, std::string_view key) {
  constexpr std::string_view kExpected = "a number of 64 bits, or its hexadecimal digits as a text";
  if (const auto value = as_integer(node)) {
    if (!value->negative && !value->too_large) return value->size;
    findings_.error(ErrorCode::ai8x_processors, node.mark, std::string(key),
                    "'" + std::string(key) + "' is " + shown(node.text) +
                        "; a map has 64 bits, one for each processor");
    return std::nullopt;
  }
  if (node.kind != YamlKind::scalar || is_null(node)) {
    wrong(node, key, std::string(kExpected));
    return std::nullopt;
  }
  std::string digits = lower(node.text);
  std::erase_if(digits, [](char c) { return c == '.' || c == '_'; });
  if (digits.starts_with("0x")) digits.erase(0, 2);
  const bool hex =
      !digits.empty() && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex) {
    wrong(node, key, std::string(kExpected));
    return std::nullopt;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > 16) {
    findings_.error(ErrorCode::ai8x_processors, node.mark, std::string(key),
                    "'" + std::string(key) + "' has " + std::to_string(digits.size()) +
                        " hexadecimal digits; a map has 16, one for four processors");
    return std::nullopt;
  }
  return digits.empty() ? 0 : std::stoull(digits, nullptr, 16);
}

std::optional<Size2> Values::size(const YamlNode& node, std::string_view key, int64_t low,
                                  int64_t high, bool one_dimensional) {
  if (node.kind == YamlKind::scalar) {
    if (!as_integer(node)) {
      wrong(node, key, "a number, or a list of rows and columns");
      return std::nullopt;
    }
    const auto value = integer(node, key, low, high);
    if (!value) return std::nullopt;
    const int n = static_cast<int>(*value);
    return Size2{n, one_dimensional ? 1 : n};
  }
  const size_t parts = node.children.size();
  if (node.kind != YamlKind::sequence || parts > 2 || parts < (one_dimensional ? 1U : 2U)) {
    wrong(node, key, "a number, or a list of rows and columns");
    return std::nullopt;
  }
  const auto h = integer(node.children[0], key, low, high);
  const auto w = parts == 2 ? integer(node.children[1], key, low, high) : std::optional<int64_t>(1);
  if (!h || !w) return std::nullopt;
  return Size2{static_cast<int>(*h), static_cast<int>(*w)};
}

std::optional<Reference> Values::reference(const YamlNode& node, std::string_view key) {
  Reference out;
  out.mark = node.mark;
  if (as_integer(node)) {
    const auto value = integer(node, key, -2, 1048576);
    if (!value) return std::nullopt;
    out.number = *value;
    return out;
  }
  if (node.kind != YamlKind::scalar || is_null(node) || node.text.empty()) {
    wrong(node, key, "the number or the name of a layer");
    return std::nullopt;
  }
  out.is_text = true;
  out.text = lower(node.text);
  return out;
}

std::optional<std::vector<Reference>> Values::references(const YamlNode& node,
                                                         std::string_view key) {
  std::vector<Reference> out;
  if (node.kind == YamlKind::scalar) {
    const auto one = reference(node, key);
    if (!one) return std::nullopt;
    return std::vector<Reference>{*one};
  }
  if (node.kind != YamlKind::sequence || node.children.empty()) {
    wrong(node, key, "a layer, or a list of layers");
    return std::nullopt;
  }
  bool good = true;
  for (const YamlNode& child : node.children) {
    const auto one = reference(child, key);
    good = good && one;
    if (one) out.push_back(*one);
  }
  return good ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<int>> Values::integers(const YamlNode& node, std::string_view key,
                                                 int64_t low, int64_t high) {
  std::vector<int> out;
  if (node.kind == YamlKind::map) {
    wrong(node, key, "a number, or a list of numbers");
    return std::nullopt;
  }
  const bool list = node.kind == YamlKind::sequence;
  bool good = true;
  for (size_t i = 0; i < (list ? node.children.size() : 1); ++i) {
    const auto value = integer(list ? node.children[i] : node, key, low, high);
    good = good && value;
    if (value) out.push_back(static_cast<int>(*value));
  }
  return good ? std::optional(std::move(out)) : std::nullopt;
}

namespace {

std::string nearest(std::string_view text, const std::vector<KeyRow>& rows) {
  std::string_view best;
  size_t smallest = 4;
  if (text.size() > 40) return {};
  for (const KeyRow& row : rows) {
    // "kernel" for "kernel_size" is nearer than its letters say.
    const bool begins = text.size() >= 3 && row.spelling.starts_with(text);
    const size_t d = begins ? 1 : edit_distance(text, row.spelling);
    if (d < smallest) {
      smallest = d;
      best = row.spelling;
    }
  }
  return std::string(best);
}

}  // namespace

std::vector<const YamlNode*> entries(const YamlNode& map, const std::vector<KeyRow>& rows,
                                     size_t keys, std::string_view where, Findings& findings) {
  std::vector<const YamlNode*> out(keys, nullptr);
  std::vector<std::string_view> spelling(keys);
  for (size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const YamlNode& key = map.children[i];
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const KeyRow& r) {
      return key.kind == YamlKind::scalar && r.spelling == key.text;
    });
    if (row == rows.end()) {
      Finding& error = findings.error(ErrorCode::ai8x_unknown_key, key.mark, shown(key.text),
                                      std::string(where) + " has no key " + described(key));
      const std::string near = findings.full() ? "" : nearest(key.text, rows);
      if (!near.empty()) error.hint = "did you mean '" + near + "'?";
      continue;
    }
    const YamlNode*& slot = out[row->key];
    if (slot == nullptr) {
      slot = &map.children[i + 1];
      spelling[row->key] = row->spelling;
    } else if (spelling[row->key] == row->spelling) {
      findings.error(ErrorCode::ai8x_duplicate_key, key.mark, key.text,
                     "'" + key.text + "' stands twice; the first one has its value in line " +
                         std::to_string(slot->mark.line));
    } else {
      findings.error(ErrorCode::ai8x_two_spellings, key.mark, key.text,
                     "'" + key.text + "' and '" + std::string(spelling[row->key]) + "' in line " +
                         std::to_string(slot->mark.line) + " are the same key");
    }
  }
  for (const KeyRow& row : rows) {
    if (row.mandatory && out[row.key] == nullptr) {
      findings.error(ErrorCode::ai8x_missing_key, map.mark, std::string(row.spelling),
                     std::string(where) + " needs the key '" + std::string(row.spelling) + "'");
    }
  }
  return out;
}

}  // namespace edgetwin::ai8x
