#include "targets/edgetpu/inspect/document.h"

#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

constexpr const char* kIntroduction = R"(# Instructions of the Edge TPU

Made from `src/targets/edgetpu/isa/*.def` and `inspect/rules.def` by `cmake --build build/release --target update_docs`; do not edit.

Nobody has published this instruction set. What stands here was found in compiled models that are public, and is marked:
*verified* holds for every instruction of 194 different programs (121,710 instructions); *probable* agrees with all that
was looked at; *uncertain* is a guess. Bits that no field names are kept by every tool here and shown as
`?bit:width=value`.

A bitstream is a row of words of 16 bytes. Bits count from the least significant bit of byte 0 of an instruction and go on
through all its words. The opcode stands in bits 6 to 11 of the first word and fixes how many words there are.

A bitstream begins with `start`, whose field is (words - 2) * 128, and ends with `halt`, four empty scalar words and `end`.

## Listings

`edgetwin disasm` writes, and `edgetwin asm` reads:

```
.bitstream 0.0.1.0  ; operator.package.executable.chunk
     0: start length=79616
    22: MOV sx=5 imm=0xb  ; s5 = s11
    23: MOVI sx=6 imm=0x20 st=6  ; s6 = 0x20; issue the descriptor
    91: tsync tiles=0xffff operation=11 idle=0x3ff  ; wait for all engines
   462: tensor tiles=0xffff loop=[256] in.step=[4,4] in.count=[256] multiplier=1
```

* One instruction per line: its name, then `name=value` in any order. Fields that are left out are zero bits.
* A scalar word that computes begins with its operation: `ADD` with a register as second operand, `ADDI` with an immediate
  one. `scalar op=1` and `scalar op=1 immediate=1` are the same words; `asm` takes both, and operations in lower case.
* Numbers are decimal or begin with `0x`; a list `[a,b,c]` fills an array from its first element; a count is one more than its
  bits say; a real number is the shortest decimal that gives the same 32 bits; `#` and hexadecimal digits give the bits of
  any field themselves.
* `?bit:width=value` sets bits that no field names.
* `.bytes` and hexadecimal digits stand for bytes that are no instruction. A word number before `:` and all that follows `;`
  are for the reader only.

`asm` puts back every bit: a listing that is not changed gives the bytes that it came from.
)";

const char* format_name(FieldFormat format) {
  switch (format) {
    case FieldFormat::number:
      return "number";
    case FieldFormat::integer:
      return "signed";
    case FieldFormat::count:
      return "count";
    case FieldFormat::hex:
      return "hexadecimal";
    case FieldFormat::real:
      return "float32";
  }
  return "";
}

std::string hex_code(unsigned code) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  return std::string("0x") + kDigits[(code >> 4U) & 15U] + kDigits[code & 15U];
}

std::string bits_of_field(const FieldInfo& f) {
  const std::string first = std::to_string(f.bit);
  if (f.elements > 1) {
    return first + " + " + std::to_string(f.pitch) + "k, " + std::to_string(f.width) +
           " wide, k < " + std::to_string(f.elements);
  }
  return f.width == 1 ? first : first + "-" + std::to_string(f.bit + f.width - 1);
}

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string opcode_table() {
  std::string text =
      "\n## Opcodes\n\n| opcode | name | words | known | meaning |\n|---|---|---|---|---|\n";
  for (const OpcodeInfo& o : all_opcodes()) {
    text += "| " + hex_code(o.code) + " | `" + std::string(o.name) + "` | " +
            std::to_string(o.words) + " | " + std::string(name(o.evidence)) + " | " +
            cell(o.meaning) + " |\n";
  }
  return text;
}

std::string always_text(Opcode opcode) {
  std::string text;
  for (const uint16_t bit : always_set(opcode)) {
    text += (text.empty() ? "\nAlways 1: bits " : ", ") + std::to_string(bit);
  }
  return text.empty() ? text : text + ".\n";
}

std::string field_tables() {
  std::string text = "\n## Fields\n";
  for (const OpcodeInfo& o : all_opcodes()) {
    const auto fields = fields_of(o.opcode);
    if (fields.empty() && always_set(o.opcode).empty()) continue;
    text += "\n### " + std::string(o.name) + "\n";
    if (!fields.empty())
      text += "\n| bits | field | form | known | meaning |\n|---|---|---|---|---|\n";
    for (const FieldInfo& f : fields) {
      text += "| " + bits_of_field(f) + " | `" + std::string(f.name) + "` | " +
              format_name(f.format) + " | " + std::string(name(f.evidence)) + " | " +
              cell(f.meaning) + " |\n";
    }
    text += always_text(o.opcode);
  }
  return text;
}

std::string scalar_table() {
  std::string text =
      "\n## Operations of the scalar core\n\n32 registers of 32 bits, 8 predicates; x is the "
      "destination, y the first operand, c the second.\nA descriptor has four slots: 0 and 1 the "
      "address, 2 the length, 3 what it is about (1 input, 2 parameters,\n3 output, 4 to 7 "
      "interrupts).\n\n| op | name | known | effect |\n|---|---|---|---|\n";
  for (const ScalarOpInfo& o : all_scalar_ops()) {
    std::string name_text(o.name);
    if (name_text.ends_with('_')) name_text.pop_back();
    text += "| " + std::to_string(static_cast<int>(o.op)) + " | " + name_text + " | " +
            std::string(name(o.evidence)) + " | " + cell(o.meaning) + " |\n";
  }
  return text;
}

std::string rule_table() {
  std::string text =
      "\n## What `check` looks for\n\n| id | severity | rule | what to do | known from "
      "|\n|---|---|---|---|---|\n";
  for (const RuleInfo& r : all_rules()) {
    text += "| " + std::string(r.id) + " | " + std::string(name(r.severity)) + " | " +
            cell(r.title) + " " + cell(r.text) + " | " + cell(r.remedy) + " | " +
            std::string(name(r.evidence)) + " |\n";
  }
  return text;
}

}  // namespace

std::string isa_markdown() {
  return kIntroduction + opcode_table() + field_tables() + scalar_table() + rule_table();
}

}  // namespace edgetwin::edgetpu
