#include <cmath>
#include <cstdio>
#include <cstring>

#include "espdl_generated.h"
#include "formats/espdl/read/reader.h"
#include "formats/flatbuffer/fields.h"

namespace edgetwin::espdl {
namespace {

constexpr uint32_t kBelowFloat = 0x1fffffff;  // bits of a double that a float32 does not have
constexpr size_t kShown = 4;

// A double that stands for a float32 of ordinary size, or zero.
bool is_widened_float(const std::byte* at, double* value) {
  uint32_t low;
  std::memcpy(&low, at, sizeof low);
  std::memcpy(value, at, sizeof *value);
  if ((low & kBelowFloat) != 0 || !std::isfinite(*value)) return false;
  const double size = std::fabs(*value);
  return size == 0.0 ? !std::signbit(*value) : size > 1e-12 && size < 1e12;
}

// Upstream's writer stores each number of FLOATS in eight bytes, but counts numbers as the schema
// does. The device then reads the halves of doubles. So do we: the element values are the file's.
// Where the bytes look like doubles, a warning says what was probably meant.
void find_doubles(Source& source, const flatbuffers::Vector<float>& floats,
                  const std::string& label) {
  const size_t count = floats.size();
  const auto* data = reinterpret_cast<const std::byte*>(floats.Data());
  const uint64_t start = source.offset_of(data);
  const bool fits = (source.data().size() - start) / sizeof(double) >= count;
  if (count == 0 || !fits || start % sizeof(double) != 0) return;
  std::string meant;
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    double value;
    if (!is_widened_float(data + i * sizeof value, &value)) return;
    any = any || value != 0.0;
    if (i >= kShown) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%s%.9g", i == 0 ? "" : ", ", value);
    meant += text;
  }
  if (!any) return;
  if (count > kShown) meant += ", ...";
  source.find(
      Severity::warning, label,
      "its numbers look like doubles of eight bytes; the device reads them as halves, and so "
      "does this program",
      "Probably meant: " + meant + ". Write the list again as float32.");
}

Error no_value(const Source& source, const schema::Attribute& table, const std::string& label) {
  return source.error(ErrorCode::bad_value, "the attribute has no value of its type", &table,
                      label);
}

Status read_scalar(Source& source, const schema::Attribute& table, const std::string& label,
                   Attribute& attribute) {
  switch (attribute.type) {
    case AttributeType::float_value:
      if (table.f() == nullptr) return no_value(source, table, label);
      attribute.f = table.f()->f();
      return Ok{};
    case AttributeType::int_value:
      if (table.i() == nullptr) return no_value(source, table, label);
      attribute.i = table.i()->i();
      return Ok{};
    case AttributeType::string: {
      if (table.s() == nullptr) return Ok{};
      EDGETWIN_TRY(source.charge(table.s()->size(), table.s(), label));
      attribute.s.assign(reinterpret_cast<const char*>(table.s()->Data()), table.s()->size());
      return Ok{};
    }
    case AttributeType::tensor: {
      if (table.t() == nullptr) return no_value(source, table, label);
      EDGETWIN_TRY_ASSIGN(TensorData tensor, read_tensor(source, *table.t(), label));
      attribute.tensors.push_back(std::move(tensor));
      return Ok{};
    }
    default:
      return Ok{};
  }
}

Status read_list(Source& source, const schema::Attribute& table, const std::string& label,
                 Attribute& attribute) {
  switch (attribute.type) {
    case AttributeType::floats: {
      EDGETWIN_TRY_ASSIGN(attribute.floats,
                          flatbuffer::read_numbers<float>(source, table.floats(), label));
      if (table.floats() != nullptr) find_doubles(source, *table.floats(), label);
      return Ok{};
    }
    case AttributeType::ints: {
      EDGETWIN_TRY_ASSIGN(attribute.ints,
                          flatbuffer::read_numbers<int64_t>(source, table.ints(), label));
      return Ok{};
    }
    case AttributeType::strings: {
      EDGETWIN_TRY_ASSIGN(attribute.strings,
                          flatbuffer::read_texts(source, table.strings(), label));
      return Ok{};
    }
    case AttributeType::tensors: {
      EDGETWIN_TRY_ASSIGN(attribute.tensors,
                          flatbuffer::read_tables<TensorData>(
                              source, table.tensors(), label, [&](const schema::Tensor& tensor) {
                                return read_tensor(source, tensor, label);
                              }));
      return Ok{};
    }
    default:
      return Ok{};
  }
}

bool is_scalar(AttributeType type) {
  return type >= AttributeType::float_value && type <= AttributeType::tensor;
}

bool is_list(AttributeType type) {
  return type >= AttributeType::floats && type <= AttributeType::tensors;
}

}  // namespace

Result<Attribute> read_attribute(Source& source, const schema::Attribute& table,
                                 const std::string& node) {
  Attribute attribute;
  EDGETWIN_TRY_ASSIGN(attribute.name, flatbuffer::read_text(source, table.name(), node));
  const std::string label = quoted(node + " attribute", attribute.name);
  EDGETWIN_TRY_ASSIGN(attribute.doc_string,
                      flatbuffer::read_text(source, table.doc_string(), label));
  attribute.type = static_cast<AttributeType>(table.attr_type());
  if (table.ref_attr_name() != nullptr && table.ref_attr_name()->size() != 0) {
    return source.error(ErrorCode::espdl_content, "a reference to an attribute of a function",
                        &table, label + " Attribute.ref_attr_name");
  }
  if (is_scalar(attribute.type)) {
    EDGETWIN_TRY(read_scalar(source, table, label, attribute));
  } else if (is_list(attribute.type)) {
    EDGETWIN_TRY(read_list(source, table, label, attribute));
  } else if (attribute.type != AttributeType::undefined) {
    return source.error(ErrorCode::espdl_content,
                        "an attribute of type " + std::to_string(static_cast<int>(attribute.type)),
                        &table, label + " Attribute.attr_type");
  }
  return attribute;
}

}  // namespace edgetwin::espdl
