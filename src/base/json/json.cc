#include "base/json/json.h"

#include <nlohmann/json.hpp>

namespace edgetwin {

using Node = nlohmann::ordered_json;

struct Json::Impl {
  Node node;
};

Json::Json() : impl_(std::make_unique<Impl>()) {}
Json::Json(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Json::Json(const Json& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
Json::~Json() = default;

Json::Json(bool value) : impl_(new Impl{Node(value)}) {}
Json::Json(double value) : impl_(new Impl{Node(value)}) {}
Json::Json(int64_t value, Integer) : impl_(new Impl{Node(value)}) {}
Json::Json(const char* text) : Json(std::string_view(text)) {}
Json::Json(std::string_view text) : impl_(new Impl{Node(std::string(text))}) {}

Json Json::object() { return Json(std::unique_ptr<Impl>(new Impl{Node::object()})); }
Json Json::array() { return Json(std::unique_ptr<Impl>(new Impl{Node::array()})); }

Json& Json::set(std::string_view key, Json value) {
  impl_->node[std::string(key)] = std::move(value.impl_->node);
  return *this;
}

Json& Json::push(Json value) {
  impl_->node.push_back(std::move(value.impl_->node));
  return *this;
}

Json& Json::merge(const Json& other) {
  for (const auto& [key, value] : other.impl_->node.items()) impl_->node[key] = value;
  return *this;
}

namespace {

std::string scalar_text(const Node& node) {
  return node.dump(-1, ' ', false, Node::error_handler_t::replace);
}

bool is_flat(const Node& node) {
  if (!node.is_array()) return node.empty();
  for (const Node& child : node) {
    if (child.is_structured()) return false;
  }
  return true;
}

void append(std::string& out, const Node& node, size_t depth) {
  if (!node.is_structured()) {
    out += scalar_text(node);
    return;
  }
  const char* brackets = node.is_array() ? "[]" : "{}";
  const bool flat = is_flat(node);
  const std::string line = flat ? "" : "\n" + std::string(depth + 1, ' ');
  out += brackets[0];
  bool first = true;
  for (const auto& [key, child] : node.items()) {
    if (!first) out += flat ? ", " : ",";
    first = false;
    out += line;
    if (node.is_object()) out += scalar_text(Node(key)) + ": ";
    append(out, child, depth + 1);
  }
  if (!flat) out += "\n" + std::string(depth, ' ');
  out += brackets[1];
}

}  // namespace

std::string Json::text() const {
  std::string out;
  append(out, impl_->node, 0);
  return out + "\n";
}

namespace {

// Where brackets are nested deeper than any document of ours: copies of such a tree recurse.
std::optional<size_t> too_deep(std::string_view text) {
  constexpr int kMaxDepth = 100;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      depth += c == '[' || c == '{' ? 1 : 0;
      depth -= c == ']' || c == '}' ? 1 : 0;
      if (depth > kMaxDepth) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Json> Json::parse(std::string_view text, const std::string& file) {
  if (const auto place = too_deep(text)) {
    return Error(ErrorCode::bad_value, "the document is nested too deeply")
        .in_file(file)
        .at_offset(*place);
  }
  try {
    return Json(std::unique_ptr<Impl>(new Impl{Node::parse(text)}));
  } catch (const nlohmann::json::parse_error& e) {
    return Error(ErrorCode::bad_value, "this is not a JSON document")
        .in_file(file)
        .at_offset(e.byte > 0 ? e.byte - 1 : 0);
  } catch (const nlohmann::json::exception&) {
    return Error(ErrorCode::bad_value, "a number is too large to be kept").in_file(file);
  }
}

std::optional<Json> Json::get(std::string_view key) const {
  const Node& node = impl_->node;
  if (!node.is_object()) return std::nullopt;
  const auto found = node.find(std::string(key));
  if (found == node.end()) return std::nullopt;
  return Json(std::unique_ptr<Impl>(new Impl{*found}));
}

std::optional<std::string> Json::get_string(std::string_view key) const {
  const std::optional<Json> value = get(key);
  return value ? value->as_string() : std::nullopt;
}

std::optional<int64_t> Json::get_integer(std::string_view key) const {
  const std::optional<Json> value = get(key);
  return value ? value->as_integer() : std::nullopt;
}

std::optional<std::string> Json::as_string() const {
  if (!impl_->node.is_string()) return std::nullopt;
  return impl_->node.get<std::string>();
}

std::optional<int64_t> Json::as_integer() const {
  if (!impl_->node.is_number_integer()) return std::nullopt;
  return impl_->node.get<int64_t>();
}

std::optional<double> Json::as_number() const {
  if (!impl_->node.is_number()) return std::nullopt;
  return impl_->node.get<double>();
}

std::optional<bool> Json::as_bool() const {
  if (!impl_->node.is_boolean()) return std::nullopt;
  return impl_->node.get<bool>();
}

bool Json::is_object() const { return impl_->node.is_object(); }

bool Json::is_array() const { return impl_->node.is_array(); }

std::vector<std::string> Json::keys() const {
  std::vector<std::string> names;
  if (!impl_->node.is_object()) return names;
  for (const auto& [key, child] : impl_->node.items()) names.push_back(key);
  return names;
}

size_t Json::size() const { return impl_->node.is_array() ? impl_->node.size() : 0; }

Json Json::at(size_t index) const {
  return Json(std::unique_ptr<Impl>(new Impl{impl_->node[index]}));
}

}  // namespace edgetwin
