// The instruction set of the Edge TPU ("beagle"), from one table: isa.def. An instruction is one to
// seventeen words of 16 bytes; its opcode fixes how many. Bits that no field names are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "targets/edgetpu/isa/bits.h"
#include "targets/edgetpu/isa/fields.h"

namespace edgetwin::edgetpu {

inline constexpr size_t kWordBytes = 16;
inline constexpr size_t kWordBits = 128;
inline constexpr size_t kLineBytes = 64;  // the parameters of layers start at multiples of it
inline constexpr int kTiles = 16;

struct OpcodeInfo {
  Opcode opcode;
  uint8_t code;
  int words;
  std::string_view name;  // in listings: "scalar"
  Evidence evidence;
  std::string_view meaning;
};

const std::vector<OpcodeInfo>& all_opcodes();
const OpcodeInfo* find_opcode(uint8_t code);           // null: no such opcode
const OpcodeInfo* find_opcode(std::string_view name);  // null: no such name
const OpcodeInfo& info(Opcode opcode);

// In the order of their bits; no two overlap.
std::span<const FieldInfo> fields_of(Opcode opcode);
// Null: the opcode has no such field.
const FieldInfo* find_field(Opcode opcode, FieldName name);
// The same for names that come from outside, as in listings.
const FieldInfo* field_named(Opcode opcode, std::string_view name);

// Bits that no field names, in runs of at most 64.
struct Gap {
  uint16_t bit;
  uint8_t width;
};
std::span<const Gap> gaps_of(Opcode opcode);

// Bits that were 1 in every instruction of this opcode: a sign of damage where they are not.
std::span<const uint16_t> always_set(Opcode opcode);

// One instruction within a bitstream.
struct Instruction {
  const OpcodeInfo* info = nullptr;
  size_t word = 0;  // index of its first word
  ByteSpan bytes;

  Opcode opcode() const { return info->opcode; }
  uint64_t bits(size_t bit, unsigned width) const { return get_bits(bytes, bit, width); }
  uint64_t get(const FieldInfo& f, size_t element = 0) const {
    return get_bits(bytes, f.bit_of(element), f.width);
  }
  // A field that this opcode has; asking another opcode for it is our own bug (asserted; 0).
  uint64_t get(FieldName field, size_t element = 0) const;
  int64_t get_signed(FieldName field, size_t element = 0) const;
  // A field that only some opcodes have: 0 without it.
  uint64_t get_or_zero(FieldName field, size_t element = 0) const;
};

// The opcode is in bits 6 to 11 of the first word; every opcode has bits 0 to 5 at zero but SCALAR,
// whose predicate is there.
inline uint8_t opcode_of(ByteSpan word) { return static_cast<uint8_t>(get_bits(word, 6, 6)); }

// The instructions of a bitstream, which must outlive the result. `parsed` words were understood;
// what follows them, if anything, starts with a word that is no instruction or is cut off.
struct Program {
  ByteSpan data;
  std::vector<Instruction> instructions;
  size_t words = 0;
  size_t parsed = 0;

  bool whole() const { return parsed == words && words * kWordBytes == data.size(); }
};
Program parse(ByteSpan bitstream);

// The same, but an error where not the whole bitstream is instructions. Error: edgetpu_instruction.
Result<Program> parse_whole(ByteSpan bitstream);

// An instruction that is being made.
class Assembly {
 public:
  // All bits zero but the opcode.
  explicit Assembly(Opcode opcode);
  // A field or an element that the opcode does not have is our own bug and leaves everything as it
  // is (asserted).
  Assembly& set(FieldName field, uint64_t value, size_t element = 0);
  Assembly& set(const FieldInfo& field, uint64_t value, size_t element = 0);
  Assembly& set_bits(size_t bit, unsigned width, uint64_t value);
  const Bytes& bytes() const { return bytes_; }

 private:
  Opcode opcode_;
  Bytes bytes_;
};

}  // namespace edgetwin::edgetpu
