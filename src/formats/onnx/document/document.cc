#include "formats/onnx/document/document.h"

namespace edgetwin::onnx {

std::string Node::label() const {
  std::string text = "#" + std::to_string(index) + " " + op_type;
  if (!name.empty()) return text + " '" + name + "'";
  return outputs.empty() ? text : text + " '" + outputs[0] + "'";
}

const Attribute* Node::find(std::string_view attribute, Attribute::Kind kind) const {
  for (const Attribute& a : attributes) {
    if (a.name == attribute && a.kind == kind) return &a;
  }
  return nullptr;
}

std::optional<int64_t> Node::integer(std::string_view attribute) const {
  const Attribute* a = find(attribute, Attribute::Kind::integer);
  return a == nullptr ? std::nullopt : std::optional(a->integer);
}

std::optional<float> Node::real(std::string_view attribute) const {
  const Attribute* a = find(attribute, Attribute::Kind::real);
  return a == nullptr ? std::nullopt : std::optional(a->real);
}

std::optional<std::string> Node::text(std::string_view attribute) const {
  const Attribute* a = find(attribute, Attribute::Kind::text);
  return a == nullptr ? std::nullopt : std::optional(a->text);
}

std::optional<std::vector<int64_t>> Node::integers(std::string_view attribute) const {
  const Attribute* a = find(attribute, Attribute::Kind::integers);
  return a == nullptr ? std::nullopt : std::optional(a->integers);
}

namespace {

// The next number of a protocol buffer; nothing where it does not end.
std::optional<uint64_t> next_number(ByteSpan data, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && at < data.size(); shift += 7) {
    const auto byte = std::to_integer<uint64_t>(data[at++]);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

// There is no magic number: the fields of the outermost message are walked up to the graph.
bool looks_like_onnx(ByteSpan data) {
  constexpr uint64_t kLastField = 25, kGraph = 7, kVersion = 1, kFewestGraphBytes = 4;
  bool versioned = false;
  for (size_t at = 0; at < data.size();) {
    const auto tag = next_number(data, at);
    if (!tag) return false;
    const uint64_t field = *tag >> 3;
    const uint64_t wire = *tag & 7;
    if (field < 1 || field > kLastField || (wire != 0 && wire != 2)) return false;
    const auto value = next_number(data, at);
    if (!value) return false;
    if (field == kVersion) {
      if (wire != 0 || *value < 1 || *value > 100) return false;
      versioned = true;
    }
    if (field == kGraph) return wire == 2 && versioned && *value >= kFewestGraphBytes;
    if (wire == 0) continue;
    if (*value > data.size() - at) return false;
    at += static_cast<size_t>(*value);
  }
  return false;
}

}  // namespace edgetwin::onnx
