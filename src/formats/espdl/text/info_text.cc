#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "formats/espdl/text/companions.h"
#include "tensor/float16.h"

namespace edgetwin::espdl {
namespace {

constexpr size_t kMaxText = 64;  // longer attribute texts are cut
constexpr size_t kNumbersPerLine = 16;

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

template <class T>
std::string number_text(T value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

template <class T, class Text>
std::string list(const std::vector<T>& items, Text text) {
  std::string result = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) result += ", ";
    result += text(items[i]);
  }
  return result + "]";
}

std::string numbers(const std::vector<int64_t>& values) {
  return list(values, [](int64_t v) { return number_text(v); });
}

// "INT8, 1x3x3"; a size that is not known is a question mark.
std::string type_and_shape(DataType type, const std::vector<int64_t>& dims) {
  std::string text(name(type));
  for (size_t i = 0; i < dims.size(); ++i) {
    text += i == 0 ? ", " : "x";
    text += dims[i] < 0 ? "?" : number_text(dims[i]);
  }
  return text;
}

std::string quoted_text(std::string_view text) {
  const bool cut = text.size() > kMaxText;
  return "'" + printable(text.substr(0, kMaxText)) + (cut ? "..." : "") + "'";
}

std::string attribute_value(const Attribute& a) {
  switch (a.type) {
    case AttributeType::float_value:
      return number_text(a.f);
    case AttributeType::int_value:
      return number_text(a.i);
    case AttributeType::string:
      return quoted_text(a.s);
    case AttributeType::floats:
      return list(a.floats, [](float v) { return number_text(v); });
    case AttributeType::ints:
      return numbers(a.ints);
    case AttributeType::strings:
      return list(a.strings, [](const std::string& s) { return quoted_text(s); });
    case AttributeType::tensor:
    case AttributeType::tensors:
      return list(a.tensors,
                  [](const TensorData& t) { return "tensor " + type_and_shape(t.type, t.dims); });
    default:
      return "?";
  }
}

std::string operands(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& one : names) text += (text.empty() ? "%" : ", %") + printable(one);
  return text;
}

std::string node_line(const Node& node) {
  std::vector<const Attribute*> sorted;
  for (const Attribute& a : node.attributes) sorted.push_back(&a);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
  const auto text = [](const Attribute* a) {
    return printable(a->name) + " = " + attribute_value(*a);
  };
  std::string line = "  " + operands(node.outputs) + " = " + printable(node.op_type);
  if (!sorted.empty()) line += list(sorted, text);
  return line + "(" + operands(node.inputs) + ")\n";
}

template <class T>
std::string element(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return number_text(value);
}

std::string element_text(DataType type, const std::byte* at) {
  switch (type) {
    case DataType::float32:
      return element<float>(at);
    case DataType::boolean:
    case DataType::uint8:
      return element<uint8_t>(at);
    case DataType::int8:
      return element<int8_t>(at);
    case DataType::uint16:
    case DataType::float16:
      return element<uint16_t>(at);
    case DataType::int16:
      return element<int16_t>(at);
    case DataType::int32:
      return element<int32_t>(at);
    case DataType::int64:
      return element<int64_t>(at);
    case DataType::float64:
      return element<double>(at);
    case DataType::uint32:
      return element<uint32_t>(at);
    case DataType::uint64:
      return element<uint64_t>(at);
    default:
      return "?";
  }
}

void add_tensor(std::string& text, const TensorData& t) {
  text += "%" + printable(t.name) + "[" + type_and_shape(t.type, t.dims) +
          "], exponents: " + numbers(t.exponents);
  if (!t.doc_string.empty()) text += ", docString: " + printable(t.doc_string);
  text += "\n[";
  const auto dtype = dtype_of_code(t.type);
  const size_t size = dtype ? byte_size(*dtype) : 0;
  const size_t count = size == 0 ? 0 : t.data.size() / size;
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) text += i % kNumbersPerLine == 0 ? ",\n " : ", ";
    text += element_text(t.type, t.data.data() + i * size);
  }
  text += "]\n";
}

void add_tensors(std::string& text, std::string_view title, const std::vector<TensorData>& rows) {
  text += "\n" + std::string(title) + ":\n";
  for (const TensorData& t : rows) add_tensor(text, t);
}

std::string value_text(const ValueInfo& v) {
  return "%" + printable(v.name) + "[" + type_and_shape(v.type, v.shape) +
         "], exponents: " + numbers(v.exponents);
}

void add_graph(std::string& text, const Document& d) {
  text += "graph " + printable(d.graph_name) + " (\n";
  for (const ValueInfo& v : d.inputs) text += "  " + value_text(v) + "\n";
  text += ") initializers (\n";
  for (const TensorData& t : d.initializers) {
    text += "  %" + printable(t.name) + "[" + type_and_shape(t.type, t.dims) + "]\n";
  }
  text += ") {\n";
  for (const Node& node : d.nodes) text += node_line(node);
  std::vector<std::string> results;
  for (const ValueInfo& v : d.outputs) results.push_back(v.name);
  text += "  return " + operands(results) + "\n}\n";
}

}  // namespace

std::string info_text(const Document& d) {
  std::string text = "model properties:\nmetadata_props:\n";
  for (const Property& p : d.metadata) {
    text += "  " + printable(p.key) + ": " + printable(p.value) + "\n";
  }
  text += "\n";
  add_graph(text, d);
  add_tensors(text, "initializers value", d.initializers);
  text += "\nvalues info:\n";
  for (const ValueInfo& v : d.values) text += value_text(v) + "\n";
  add_tensors(text, "test inputs value", d.test_inputs);
  add_tensors(text, "test outputs value", d.test_outputs);
  return text;
}

}  // namespace edgetwin::espdl
