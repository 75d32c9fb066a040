#include "formats/espdl/compare/compare_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "formats/espdl/document/layout.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {
namespace {

struct DefaultRow {
  std::string_view op, attribute, value;
};

struct IgnoredRow {
  std::string_view op, attribute;
};

constexpr DefaultRow kDefaults[] = {
#define DEFAULT(op, attribute, value) {#op, #attribute, #value},
#define IGNORED(op, attribute)
#include "formats/espdl/document/attributes.def"
#undef DEFAULT
#undef IGNORED
};

constexpr IgnoredRow kIgnored[] = {
#define DEFAULT(op, attribute, value)
#define IGNORED(op, attribute) {#op, #attribute},
#include "formats/espdl/document/attributes.def"
#undef DEFAULT
#undef IGNORED
};

template <class T>
std::string number(T value) {
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

template <class T>
std::string list(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& v : values) text += (text.size() > 1 ? ", " : "") + number(v);
  return text + "]";
}

std::string sizes(const std::vector<int64_t>& dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const int64_t dim : dims) text += (text.empty() ? "" : "x") + number(dim);
  return text;
}

std::string value_text(const Attribute& a) {
  switch (a.type) {
    case AttributeType::float_value:
      return number(a.f);
    case AttributeType::int_value:
      return number(a.i);
    case AttributeType::string:
      return a.s;
    case AttributeType::floats:
      return list(a.floats);
    case AttributeType::ints:
      return list(a.ints);
    default:
      return "type " + number(static_cast<int32_t>(a.type));
  }
}

// An axis counted from the end is the same as one from the start.
std::string axis_text(const std::string& text, size_t rank) {
  int64_t axis = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
  if (error != std::errc() || axis >= 0 || rank == 0) return text;
  return number(axis + static_cast<int64_t>(rank));
}

std::string perm_text(const Node& node) {
  auto perm = node.integers("perm").value_or(std::vector<int64_t>{});
  for (int64_t& p : perm) p += p < 0 ? static_cast<int64_t>(perm.size()) : 0;
  return list(perm);
}

// What the attribute is for the runtime; "absent" where it is not there and has no default.
std::string effective(const Node& node, const std::string& attribute) {
  if (const Attribute* a = node.find(attribute)) return value_text(*a);
  for (const DefaultRow& row : kDefaults) {
    if (row.attribute == attribute && (row.op == "*" || row.op == node.op_type)) {
      return std::string(row.value);
    }
  }
  return "absent";
}

bool counts(const std::string& attribute, const Node& a, const Node& b) {
  if (attribute == "lut") return false;
  for (const IgnoredRow& row : kIgnored) {
    if (row.attribute == attribute && (row.op == "*" || row.op == a.op_type)) return false;
  }
  if (attribute == "dilations" || attribute == "output_padding" || attribute == "pads") {
    const int64_t none = attribute == "dilations" ? 1 : 0;
    const auto is_none = [&](const Node& n) {
      const auto values = n.integers(attribute);
      return !values ||
             std::all_of(values->begin(), values->end(), [none](int64_t v) { return v == none; });
    };
    if (is_none(a) && is_none(b)) return false;
  }
  // Nearest takes one form of coordinates only.
  if (attribute == "coordinate_transformation_mode") {
    return a.text("mode").value_or("nearest") != "nearest";
  }
  return true;
}

std::string element_text(const TensorData& t, int64_t index) {
  const auto type = dtype_of_code(t.type);
  return type ? number(element_as_double(*type, t.data, index)) : "?";
}

std::string first_element(const TensorData& a, const TensorData& b) {
  const auto type = dtype_of_code(a.type);
  const size_t size = type ? byte_size(*type) : 1;
  const auto at = std::mismatch(a.data.begin(), a.data.end(), b.data.begin(), b.data.end());
  const auto offset = static_cast<size_t>(at.first - a.data.begin());
  if (a.data.size() != b.data.size() || size == 0) return "lengths differ";
  size_t different = 0;
  for (size_t i = 0; i < a.data.size(); i += size) {
    different += std::equal(a.data.begin() + static_cast<std::ptrdiff_t>(i),
                            a.data.begin() + static_cast<std::ptrdiff_t>(i + size),
                            b.data.begin() + static_cast<std::ptrdiff_t>(i))
                     ? 0
                     : 1;
  }
  const auto index = static_cast<int64_t>(offset / size);
  return number(different) + " of " + number(a.data.size() / size) + " elements, first " +
         number(index) + " in the order of the file: " + element_text(a, index) + " and " +
         element_text(b, index);
}

std::string exponent_text(const std::vector<int64_t>& exponents) {
  if (exponents.size() == 1) return number(exponents[0]);
  return exponents.empty() ? "none" : list(exponents);
}

std::string both(std::string_view what, const std::string& a, const std::string& b) {
  return std::string(what) + " " + a + " and " + b;
}

// Without exponents, or with one 0 where nothing is counted in steps, means the same.
bool same_exponents(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const std::vector<int64_t> none = {0};
  return (a.empty() ? none : a) == (b.empty() ? none : b);
}

}  // namespace

std::string difference(const ValueInfo& a, const ValueInfo& b) {
  if (a.type != b.type) return both("type", std::string(name(a.type)), std::string(name(b.type)));
  if (a.shape != b.shape) return both("shape", sizes(a.shape), sizes(b.shape));
  if (!same_exponents(a.exponents, b.exponents)) {
    return both("exponent", exponent_text(a.exponents), exponent_text(b.exponents));
  }
  return "";
}

std::string difference(const TensorData& a, const TensorData& b) {
  if (a.type != b.type) return both("type", std::string(name(a.type)), std::string(name(b.type)));
  if (a.dims != b.dims) return both("shape", sizes(a.dims), sizes(b.dims));
  if (!same_exponents(a.exponents, b.exponents)) {
    size_t i = 0;
    if (a.exponents.size() == b.exponents.size() && a.exponents.size() > 1) {
      while (a.exponents[i] == b.exponents[i]) ++i;
      return both("exponent of channel " + number(i), number(a.exponents[i]),
                  number(b.exponents[i]));
    }
    return both("exponent", exponent_text(a.exponents), exponent_text(b.exponents));
  }
  const auto order_a = parse_tag(a.doc_string);
  const auto order_b = parse_tag(b.doc_string);
  if (order_a != order_b) {
    return both("order of weights", order_a ? to_text(*order_a) : "UNK",
                order_b ? to_text(*order_b) : "UNK");
  }
  return a.data == b.data ? "" : first_element(a, b);
}

std::vector<std::string> attribute_differences(const Node& a, const Node& b, size_t rank) {
  std::set<std::string> names;
  for (const Node* node : {&a, &b}) {
    for (const Attribute& attribute : node->attributes) names.insert(attribute.name);
  }
  std::vector<std::string> lines;
  for (const std::string& attribute : names) {
    if (!counts(attribute, a, b)) continue;
    std::string x = effective(a, attribute);
    std::string y = effective(b, attribute);
    if (attribute == "axis") {
      x = axis_text(x, rank);
      y = axis_text(y, rank);
    } else if (attribute == "perm") {
      x = perm_text(a);
      y = perm_text(b);
    }
    if (x != y) lines.push_back(both(attribute, x, y));
  }
  return lines;
}

}  // namespace edgetwin::espdl
