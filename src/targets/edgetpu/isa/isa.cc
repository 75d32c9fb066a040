#include "targets/edgetpu/isa/isa.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kCodes = 64;

using enum Evidence;

constexpr uint8_t kNoField = 255;

struct Tables {
  std::vector<OpcodeInfo> opcodes;
  std::array<const OpcodeInfo*, kCodes> by_code{};
  std::array<std::vector<FieldInfo>, kCodes> fields;
  // By opcode and FieldName::row(): the index into `fields`.
  std::array<std::array<uint8_t, std::size(isa_table::kFields)>, kCodes> by_name{};
  std::array<std::vector<Gap>, kCodes> gaps;
  std::array<std::vector<uint16_t>, kCodes> always;

  Tables() {
#define OPCODE(name, code, words, text, evidence, meaning) \
  opcodes.push_back({Opcode::name, code, words, text, evidence, meaning});
#define ALWAYS(opcode, bit) always[static_cast<size_t>(Opcode::opcode)].push_back(bit);
#include "targets/edgetpu/isa/isa.def"
    for (const FieldInfo& f : isa_table::kFields) {
      fields[static_cast<size_t>(f.opcode)].push_back(f);
    }
    for (const OpcodeInfo& o : opcodes) {
      by_code[o.code] = &o;
      std::stable_sort(fields[o.code].begin(), fields[o.code].end(),
                       [](const FieldInfo& a, const FieldInfo& b) { return a.bit < b.bit; });
      find_gaps(o);
      index_names(o);
    }
  }

  void index_names(const OpcodeInfo& o) {
    const std::vector<FieldInfo>& all = fields[o.code];
    assert(all.size() < kNoField);
    for (size_t row = 0; row < std::size(isa_table::kFields); ++row) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const FieldInfo& f) {
        return f.name == isa_table::kFields[row].name;
      });
      by_name[o.code][row] =
          found == all.end() ? kNoField : static_cast<uint8_t>(found - all.begin());
    }
  }

  void find_gaps(const OpcodeInfo& o) {
    const size_t bits = static_cast<size_t>(o.words) * kWordBits;
    std::vector<bool> named(bits, false);
    std::fill_n(named.begin() + 6, 6, true);  // the opcode
    for (const FieldInfo& f : fields[o.code]) {
      for (size_t e = 0; e < f.elements; ++e) {
        for (size_t b = 0; b < f.width; ++b) named.at(f.bit_of(e) + b) = true;
      }
    }
    for (size_t bit = 0; bit < bits; ++bit) {
      if (named[bit]) continue;
      const size_t first = bit;
      while (bit < bits && !named[bit] && bit - first < 64) ++bit;
      gaps[o.code].push_back({static_cast<uint16_t>(first), static_cast<uint8_t>(bit - first)});
      --bit;
    }
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

std::string_view name(Evidence evidence) {
  switch (evidence) {
    case Evidence::verified:
      return "verified";
    case Evidence::probable:
      return "probable";
    case Evidence::uncertain:
      return "uncertain";
  }
  return "";
}

const std::vector<OpcodeInfo>& all_opcodes() { return tables().opcodes; }

const OpcodeInfo* find_opcode(uint8_t code) {
  return code < kCodes ? tables().by_code[code] : nullptr;
}

const OpcodeInfo* find_opcode(std::string_view name) {
  for (const OpcodeInfo& o : all_opcodes()) {
    if (o.name == name) return &o;
  }
  return nullptr;
}

const OpcodeInfo& info(Opcode opcode) { return *tables().by_code[static_cast<size_t>(opcode)]; }

std::span<const FieldInfo> fields_of(Opcode opcode) {
  return tables().fields[static_cast<size_t>(opcode)];
}

const FieldInfo* find_field(Opcode opcode, FieldName name) {
  const auto code = static_cast<size_t>(opcode);
  const uint8_t at = tables().by_name[code][name.row()];
  return at == kNoField ? nullptr : &tables().fields[code][at];
}

const FieldInfo* field_named(Opcode opcode, std::string_view name) {
  for (const FieldInfo& f : fields_of(opcode)) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

uint64_t Instruction::get(FieldName field, size_t element) const {
  assert(find_field(opcode(), field) != nullptr);
  return get_or_zero(field, element);
}

uint64_t Instruction::get_or_zero(FieldName field, size_t element) const {
  const FieldInfo* f = find_field(opcode(), field);
  return f == nullptr ? 0 : get(*f, element);
}

int64_t Instruction::get_signed(FieldName field, size_t element) const {
  const FieldInfo* f = find_field(opcode(), field);
  assert(f != nullptr);
  return f == nullptr ? 0 : edgetpu::get_signed(bytes, f->bit_of(element), f->width);
}

std::span<const Gap> gaps_of(Opcode opcode) { return tables().gaps[static_cast<size_t>(opcode)]; }

std::span<const uint16_t> always_set(Opcode opcode) {
  return tables().always[static_cast<size_t>(opcode)];
}

Program parse(ByteSpan bitstream) {
  Program program;
  program.data = bitstream;
  program.words = bitstream.size() / kWordBytes;
  while (program.parsed < program.words) {
    const ByteSpan rest = bitstream.subspan(program.parsed * kWordBytes);
    const OpcodeInfo* found = find_opcode(opcode_of(rest));
    if (found == nullptr) break;
    const auto words = static_cast<size_t>(found->words);
    if (words > program.words - program.parsed) break;
    program.instructions.push_back({found, program.parsed, rest.first(words * kWordBytes)});
    program.parsed += words;
  }
  return program;
}

Result<Program> parse_whole(ByteSpan bitstream) {
  Program program = parse(bitstream);
  if (program.whole()) return program;
  const size_t at = program.parsed * kWordBytes;
  std::string message;
  if (program.parsed == program.words) {
    message = std::to_string(bitstream.size()) + " bytes are not whole words of 16 bytes";
  } else {
    const uint8_t code = opcode_of(bitstream.subspan(at));
    const OpcodeInfo* found = find_opcode(code);
    message = "word " + std::to_string(program.parsed) + " of " + std::to_string(program.words);
    message += found == nullptr
                   ? " has the opcode " + std::to_string(code) + ", which does not exist"
                   : " begins '" + std::string(found->name) + "' of " +
                         std::to_string(found->words) + " words, which are not there";
  }
  return Error(ErrorCode::edgetpu_instruction, std::move(message)).at_offset(at);
}

Assembly::Assembly(Opcode opcode)
    : opcode_(opcode), bytes_(static_cast<size_t>(info(opcode).words) * kWordBytes) {
  edgetpu::set_bits(bytes_, 6, 6, static_cast<uint64_t>(opcode));
}

Assembly& Assembly::set(FieldName field, uint64_t value, size_t element) {
  const FieldInfo* f = find_field(opcode_, field);
  assert(f != nullptr);
  return f == nullptr ? *this : set(*f, value, element);
}

Assembly& Assembly::set(const FieldInfo& field, uint64_t value, size_t element) {
  assert(field.opcode == opcode_ && element < field.elements);
  if (field.opcode == opcode_ && element < field.elements) {
    edgetpu::set_bits(bytes_, field.bit_of(element), field.width, value);
  }
  return *this;
}

Assembly& Assembly::set_bits(size_t bit, unsigned width, uint64_t value) {
  edgetpu::set_bits(bytes_, bit, width, value);
  return *this;
}

}  // namespace edgetwin::edgetpu
