#include "train/settings/yaml_map.h"

#include <charconv>
#include <cmath>

#include "base/words/near_word.h"
#include "formats/ai8x/yaml_scalar.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlKind;
using ai8x::YamlNode;

std::string range_text(double least, double most) {
  char line[64];
  std::snprintf(line, sizeof line, "%g to %g", least, most);
  return line;
}

std::optional<int> whole(const YamlNode& node, int least, int most) {
  const auto value = ai8x::as_integer(node);
  if (!value || value->too_large || value->size > 0x7FFFFFFF) return std::nullopt;
  const auto n = static_cast<int>(value->negative ? -static_cast<int64_t>(value->size)
                                                  : static_cast<int64_t>(value->size));
  if (n < least || n > most) return std::nullopt;
  return n;
}

}  // namespace

std::optional<double> number_of(const YamlNode& node) {
  if (node.kind != YamlKind::scalar || node.quoted) return std::nullopt;
  std::string_view text = node.text;
  if (text.starts_with("+")) text.remove_prefix(1);
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

Error YamlMap::error(const YamlNode& at, std::string message) const {
  Error e = broken(rule_, std::move(message));
  e.place.file = file_;
  e.place.line = at.mark.line;
  e.place.column = at.mark.column;
  return e;
}

Result<YamlMap> YamlMap::of(const YamlNode& node, const std::string& file, std::string what,
                            Rule rule) {
  YamlMap map;
  map.node_ = &node;
  map.file_ = file;
  map.what_ = std::move(what);
  map.rule_ = rule;
  if (node.kind != YamlKind::map) {
    return map.error(node, map.what_ + " is not a map, it is " + ai8x::described(node));
  }
  return map;
}

const YamlNode* YamlMap::take(const std::string& key) {
  asked_.insert(key);
  for (size_t i = 0; i + 1 < node_->children.size(); i += 2) {
    if (node_->children[i].text == key) return &node_->children[i + 1];
  }
  return nullptr;
}

Result<const YamlNode*> YamlMap::need(const std::string& key) {
  const YamlNode* value = take(key);
  if (value == nullptr) return error(*node_, what_ + " lacks `" + key + "`");
  return value;
}

Status YamlMap::integer(const std::string& key, std::optional<int>& value, int least, int most) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  value = whole(*node, least, most);
  if (value) return Ok{};
  return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a whole number from " +
                          range_text(least, most));
}

Status YamlMap::integer(const std::string& key, int& value, int least, int most) {
  std::optional<int> found;
  EDGETWIN_TRY(integer(key, found, least, most));
  value = found.value_or(value);
  return Ok{};
}

Status YamlMap::number(const std::string& key, double& value, double least, double most) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  const auto found = number_of(*node);
  if (!found || *found < least || *found > most) {
    return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a number from " +
                            range_text(least, most));
  }
  value = *found;
  return Ok{};
}

Status YamlMap::truth(const std::string& key, bool& value) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  const auto found = ai8x::as_boolean(*node);
  if (!found) return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a truth");
  value = *found;
  return Ok{};
}

Status YamlMap::text(const std::string& key, std::string& value) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  if (node->kind != YamlKind::scalar || node->text.empty()) {
    return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a text");
  }
  value = node->text;
  return Ok{};
}

Status YamlMap::integers(const std::string& key, std::vector<int>& values, int least) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  if (node->kind != YamlKind::sequence) {
    return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a list");
  }
  for (const YamlNode& child : node->children) {
    const auto n = whole(child, least, 1 << 30);
    if (!n) {
      return error(child, "`" + key + "` has " + ai8x::described(child) +
                              ", which is not a whole number of at least " + std::to_string(least));
    }
    values.push_back(*n);
  }
  return Ok{};
}

Status YamlMap::numbers(const std::string& key, std::vector<double>& values) {
  const YamlNode* node = take(key);
  if (node == nullptr) return Ok{};
  if (node->kind != YamlKind::sequence) {
    return error(*node, "`" + key + "` is " + ai8x::described(*node) + ", not a list");
  }
  for (const YamlNode& child : node->children) {
    const auto n = number_of(child);
    if (!n) return error(child, "`" + key + "` has " + ai8x::described(child) + ", not a number");
    values.push_back(*n);
  }
  return Ok{};
}

Status YamlMap::done() const {
  for (size_t i = 0; i + 1 < node_->children.size(); i += 2) {
    const std::string& key = node_->children[i].text;
    if (asked_.contains(key)) continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    return error(node_->children[i], what_ + " has the unknown key '" + ai8x::shown(key) + "'" +
                                         did_you_mean(key, known));
  }
  return Ok{};
}

}  // namespace edgetwin::train
