// The fields of isa.def as constants. A name is checked while our own code is compiled: one that
// isa.def does not have is an error of the compiler, and reading a field compares no text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace edgetwin::edgetpu {

enum class Opcode : uint8_t {
#define OPCODE(name, code, words, text, evidence, meaning) name = code,
#include "targets/edgetpu/isa/isa.def"
};

// How we know what a field or an opcode means.
enum class Evidence : uint8_t { verified, probable, uncertain };
std::string_view name(Evidence evidence);

// How a field is written in a listing.
enum class FieldFormat : uint8_t {
  number,   // unsigned decimal
  integer,  // signed decimal
  count,    // decimal, one more than the bits say
  hex,      // unsigned hexadecimal
  real      // float32, as the shortest decimal that gives the same bits
};

struct FieldInfo {
  Opcode opcode;
  std::string_view name;
  uint16_t bit;   // of element 0
  uint8_t width;  // 1 to 64
  FieldFormat format;
  uint8_t elements;  // 1, or of an array
  uint8_t pitch;     // bits from one element to the next
  Evidence evidence;
  std::string_view meaning;

  constexpr size_t bit_of(size_t element) const { return bit + element * pitch; }
};

namespace isa_table {
using enum Evidence;
using enum FieldFormat;

// Every row of isa.def, in its order.
inline constexpr FieldInfo kFields[] = {
#define FIELD(opcode, name, bit, width, format, evidence, meaning) \
  {Opcode::opcode, name, bit, width, format, 1, 0, evidence, meaning},
#define ARRAY(opcode, name, bit, width, pitch, elements, format, evidence, meaning) \
  {Opcode::opcode, name, bit, width, format, elements, pitch, evidence, meaning},
#include "targets/edgetpu/isa/isa.def"
};

// Not constexpr: calling them ends the compilation, and their names say why.
void isa_def_has_no_field_of_this_name();
void isa_def_has_no_field_of_this_name_for_the_opcode();

}  // namespace isa_table

// The name of a field that at least one opcode has: any string literal of isa.def.
class FieldName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): written as a literal wherever a field is read.
  consteval FieldName(const char* name) : row_(row_of(name, "")) {}
  // A name in two parts: "in" and ".start".
  consteval FieldName(std::string_view side, std::string_view part) : row_(row_of(side, part)) {}

  std::string_view text() const { return isa_table::kFields[row_].name; }
  // The first row with this name: one number for each name.
  size_t row() const { return row_; }

 private:
  static consteval uint16_t row_of(std::string_view begin, std::string_view end) {
    uint16_t row = 0;
    for (const FieldInfo& f : isa_table::kFields) {
      const bool same = f.name.size() == begin.size() + end.size() && f.name.starts_with(begin) &&
                        f.name.ends_with(end);
      if (same) return row;
      ++row;
    }
    isa_table::isa_def_has_no_field_of_this_name();
    return 0;
  }

  uint16_t row_;
};

// The fields of an address generator; `side` is what their names begin with.
struct GeneratorFields {
  FieldName start, step, count, levels, switch_level, switch_by, shorter, short_level, short_by;

  consteval explicit GeneratorFields(std::string_view side)
      : start(side, ".start"),
        step(side, ".step"),
        count(side, ".count"),
        levels(side, ".levels"),
        switch_level(side, ".switch_level"),
        switch_by(side, ".switch_by"),
        shorter(side, ".short"),
        short_level(side, ".short_level"),
        short_by(side, ".short_by") {}
};

// A field of one opcode: opcode_field(Opcode::param, "lanes").
consteval FieldInfo opcode_field(Opcode opcode, std::string_view name) {
  for (const FieldInfo& f : isa_table::kFields) {
    if (f.opcode == opcode && f.name == name) return f;
  }
  isa_table::isa_def_has_no_field_of_this_name_for_the_opcode();
  return isa_table::kFields[0];
}

}  // namespace edgetwin::edgetpu
