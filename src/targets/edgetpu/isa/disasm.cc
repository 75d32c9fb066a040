#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "targets/edgetpu/isa/counters.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

template <class T>
void append(std::string& text, T value, int base) {
  std::array<char, 72> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base);
  text.append(buffer.data(), end.ptr);
}

int64_t sign_extend(uint64_t bits, unsigned width) {
  const unsigned unused = 64U - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

// The shortest decimal that gives the same bits; what has none as its bits.
void append_real(std::string& text, uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) {
    text += '#';
    append(text, bits, 16);
    return;
  }
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), end.ptr);
}

void append_value(std::string& text, const FieldInfo& f, uint64_t bits) {
  switch (f.format) {
    case FieldFormat::number:
      append(text, bits, 10);
      return;
    case FieldFormat::integer:
      append(text, sign_extend(bits, f.width), 10);
      return;
    case FieldFormat::count:
      append(text, bits + 1, 10);
      return;
    case FieldFormat::hex:
      text += "0x";
      append(text, bits, 16);
      return;
    case FieldFormat::real:
      append_real(text, static_cast<uint32_t>(bits));
      return;
  }
}

// name=value, or name=[value,value] up to the last element that is not zero.
void append_field(std::string& text, const Instruction& i, const FieldInfo& f) {
  size_t used = f.elements;
  while (used > 0 && i.get(f, used - 1) == 0) --used;
  if (used == 0) return;
  text += ' ';
  text += f.name;
  text += '=';
  if (f.elements == 1) {
    append_value(text, f, i.get(f));
    return;
  }
  for (size_t e = 0; e < used; ++e) {
    text += e == 0 ? '[' : ',';
    append_value(text, f, i.get(f, e));
  }
  text += ']';
}

// Stands for the fields `op` and `immediate` of a scalar word that computes.
std::string mnemonic_of(const Instruction& i) {
  if (i.opcode() != Opcode::scalar) return "";
  const ScalarWord w = decode_scalar(i.bytes);
  return to_text(Mnemonic{w.op, w.immediate});
}

void append_instruction(std::string& text, const Instruction& i) {
  const std::string mnemonic = mnemonic_of(i);
  text += mnemonic.empty() ? i.info->name : std::string_view(mnemonic);
  for (const FieldInfo& f : fields_of(i.opcode())) {
    const bool said = !mnemonic.empty() && (f.name == "op" || f.name == "immediate");
    if (!said) append_field(text, i, f);
  }
  for (const Gap& g : gaps_of(i.opcode())) {
    const uint64_t bits = i.bits(g.bit, g.width);
    if (bits == 0) continue;
    text += " ?";
    append(text, g.bit, 10);
    text += ':';
    append(text, static_cast<unsigned>(g.width), 10);
    text += "=0x";
    append(text, bits, 16);
  }
}

void append_bytes(std::string& text, ByteSpan rest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  while (!rest.empty()) {
    text += "        .bytes ";
    const size_t n = std::min(rest.size(), kWordBytes);
    for (const std::byte b : rest.first(n)) {
      text += kDigits[static_cast<size_t>(b) >> 4U];
      text += kDigits[static_cast<size_t>(b) & 15U];
    }
    text += '\n';
    rest = rest.subspan(n);
  }
}

// Address fields by the word that they begin in.
std::vector<const darwinn::FieldOffset*> sorted_fields(const darwinn::Bitstream& b) {
  std::vector<const darwinn::FieldOffset*> fields;
  fields.reserve(b.field_offsets.size());
  for (const darwinn::FieldOffset& f : b.field_offsets) fields.push_back(&f);
  std::stable_sort(fields.begin(), fields.end(),
                   [](const auto* x, const auto* y) { return x->offset_bit < y->offset_bit; });
  return fields;
}

std::string describe(const darwinn::FieldOffset& f) {
  std::string text = "driver: address of the " + std::string(darwinn::name(f.meta.base));
  // A name is the file's own text and may hold anything: only what stays in a comment.
  if (!f.meta.name.empty()) {
    text += " '";
    for (const char c : f.meta.name.substr(0, 80)) text += c >= ' ' && c <= '~' ? c : '?';
    text += "'";
  }
  return text + (f.meta.position == darwinn::Position::low ? ", low half" : ", high half");
}

void append_word_number(std::string& text, size_t word) {
  std::string number;
  append(number, word, 10);
  text.append(number.size() < 6 ? 6 - number.size() : 0, ' ');
  text += number;
  text += ": ";
}

void append_comment(std::string& text, const std::string& comment) {
  if (comment.empty()) return;
  text += "  ; ";
  text += comment;
}

}  // namespace

std::string to_text(const Instruction& instruction) {
  std::string text;
  append_instruction(text, instruction);
  return text;
}

std::string value_text(const FieldInfo& field, uint64_t bits) {
  std::string text;
  append_value(text, field, bits);
  return text;
}

std::string disassemble(const darwinn::Bitstream& bitstream) {
  const Program program = parse(bitstream.data);
  const auto fields = sorted_fields(bitstream);
  size_t next = 0;
  std::string text;
  text.reserve(program.instructions.size() * 64);
  for (const Instruction& i : program.instructions) {
    append_word_number(text, i.word);
    append_instruction(text, i);
    append_comment(text, explain(i));
    append_comment(text, describe_nest(i));
    append_comment(text, describe_waits(i));
    const size_t end = (i.word + i.bytes.size() / kWordBytes) * kWordBits;
    for (; next < fields.size() && static_cast<size_t>(fields[next]->offset_bit) < end; ++next) {
      append_comment(text, describe(*fields[next]));
    }
    text += '\n';
  }
  append_bytes(text, ByteSpan(bitstream.data).subspan(program.parsed * kWordBytes));
  return text;
}

std::string disassemble(const darwinn::File& file) {
  std::string text = "; operator.package.executable.chunk; docs/edgetpu-isa.md has the form\n";
  for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(file)) {
    const darwinn::Bitstream& b = *darwinn::find(file, id);
    const darwinn::Executable& e = *darwinn::executable_of(file, id);
    text += "\n.bitstream " + to_text(id) + "  ; ";
    if (file.container != darwinn::Container::bitstream) {
      text += std::string(darwinn::name(e.type)) + ", chunk " + std::to_string(id.chunk + 1) +
              " of " + std::to_string(e.bitstreams.size()) + ", ";
    }
    text += std::to_string(b.data.size() / kWordBytes) + " words\n";
    text += disassemble(b);
  }
  return text;
}

std::string to_text(const darwinn::BitstreamId& id) {
  return std::to_string(id.op) + "." + std::to_string(id.package) + "." +
         std::to_string(id.executable) + "." + std::to_string(id.chunk);
}

std::optional<darwinn::BitstreamId> parse_id(std::string_view text) {
  std::array<size_t, 4> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0 && (at == end || *at++ != '.')) return std::nullopt;
    const auto parsed = std::from_chars(at, end, numbers[i]);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  if (at != end) return std::nullopt;
  return darwinn::BitstreamId{numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace edgetwin::edgetpu
