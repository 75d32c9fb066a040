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

namespace edgetwin::edgetpu {

inline constexpr size_t kWordBytes = 16;
inline constexpr size_t kWordBits = 128;
inline constexpr size_t kLineBytes = 64;  // the parameters of layers start at multiples of it
inline constexpr int kTiles = 16;

enum class Opcode : uint8_t {
#define OPCODE(name, code, words, text, evidence, meaning) name = code,
#include "targets/edgetpu/isa/isa.def"
};

// How we know what a field or an opcode means.
enum class Evidence : uint8_t { verified, probable, uncertain };
std::string_view name(Evidence evidence);

struct OpcodeInfo {
  Opcode opcode;
  uint8_t code;
  int words;
  std::string_view name;  // in listings: "scalar"
  Evidence evidence;
  std::string_view meaning;
};

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

  size_t bit_of(size_t element) const { return bit + element * pitch; }
};

const std::vector<OpcodeInfo>& all_opcodes();
const OpcodeInfo* find_opcode(uint8_t code);           // null: no such opcode
const OpcodeInfo* find_opcode(std::string_view name);  // null: no such name
const OpcodeInfo& info(Opcode opcode);

// In the order of their bits; no two overlap.
std::span<const FieldInfo> fields_of(Opcode opcode);
const FieldInfo* find_field(Opcode opcode, std::string_view name);

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
  // By its name in isa.def; a name that this opcode does not have is 0.
  uint64_t get(std::string_view field, size_t element = 0) const;
  int64_t get_signed(std::string_view field, size_t element = 0) const;
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
  explicit Assembly(Opcode opcode);
  // All bits zero but the opcode. Fields by their name in isa.def; an unknown name is our own bug
  // and leaves everything as it is (asserted).
  Assembly& set(std::string_view field, uint64_t value, size_t element = 0);
  Assembly& set_bits(size_t bit, unsigned width, uint64_t value);
  const Bytes& bytes() const { return bytes_; }

 private:
  Opcode opcode_;
  Bytes bytes_;
};

}  // namespace edgetwin::edgetpu
