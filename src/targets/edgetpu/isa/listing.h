// Programs as text and back. docs/edgetpu-isa.md has the form: an instruction per line, its fields
// by the names of isa.def, fields of value zero left out, bits without a name as
// "?bit:width=0x...", so that every bit of the bitstream is in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

// One instruction without its comment: "scalar st=5 streg=3".
std::string to_text(const Instruction& instruction);

// A field's value as listings have it; the bits of one element.
std::string value_text(const FieldInfo& field, uint64_t bits);

// What a scalar word, a branch or a loop does, in one short line; empty for others.
std::string explain(const Instruction& instruction);

// One bitstream, a line per instruction. What is no instruction is listed as ".bytes".
std::string disassemble(const darwinn::Bitstream& bitstream);

// All bitstreams of a file, each under its ".bitstream" line.
std::string disassemble(const darwinn::File& file);

// "0.0.1.0": operator, package, executable, chunk.
std::string to_text(const darwinn::BitstreamId& id);
std::optional<darwinn::BitstreamId> parse_id(std::string_view text);

struct Assembled {
  darwinn::BitstreamId id;
  int line = 1;  // where it begins in the text
  Bytes data;
};

// The bitstreams of a text; instructions without a ".bitstream" line before them belong to 0.0.0.0.
// Error: edgetpu_assembly, with the line.
Result<std::vector<Assembled>> assemble(std::string_view text, const std::string& file);

// `model` with its bitstreams replaced by those of the text, which must have the same sizes; no
// other byte changes. Errors: edgetpu_assembly, edgetpu_no_program, and those of darwinn::read.
Result<Bytes> assemble_into(std::string_view text, const std::string& text_file, ByteSpan model,
                            const std::string& model_file);

}  // namespace edgetwin::edgetpu
