#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kMaxBitstreams = 65536;

// Words of a line up to its comment.
std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find(';'));
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r";
  for (size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

template <class T>
bool parse_number(std::string_view text, T& to, int base) {
  const char* end = text.data() + text.size();
  const auto r = std::from_chars(text.data(), end, to, base);
  return r.ec == std::errc() && r.ptr == end;
}

bool parse_unsigned(std::string_view text, uint64_t& to) {
  if (text.starts_with("0x")) return parse_number(text.substr(2), to, 16);
  return parse_number(text, to, 10);
}

uint64_t largest(unsigned width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

// The bits of a value; an empty text where it is fine, else what is wrong with it.
std::string parse_integer(std::string_view text, unsigned width, uint64_t& bits) {
  int64_t value = 0;
  if (!parse_number(text, value, 10)) return "'" + std::string(text) + "' is no whole number";
  const auto high = static_cast<int64_t>(largest(width - 1));
  const int64_t low = -high - 1;
  if (value < low || value > high) {
    return std::string(text) + " is not in " + std::to_string(low) + ".." + std::to_string(high);
  }
  bits = static_cast<uint64_t>(value) & largest(width);
  return "";
}

std::string parse_real(std::string_view text, uint64_t& bits) {
  float value = 0.0F;
  const char* end = text.data() + text.size();
  const auto r = std::from_chars(text.data(), end, value);
  if (r.ec != std::errc() || r.ptr != end || std::isnan(value)) {
    return "'" + std::string(text) + "' is no number of 32 bits";
  }
  bits = std::bit_cast<uint32_t>(value);
  return "";
}

std::string parse_value(const FieldInfo& f, std::string_view text, uint64_t& bits) {
  if (f.format == FieldFormat::integer) return parse_integer(text, f.width, bits);
  if (text.starts_with('#')) {  // the bits themselves
    if (!parse_number(text.substr(1), bits, 16)) return "'" + std::string(text) + "' is no number";
  } else if (f.format == FieldFormat::real) {
    return parse_real(text, bits);
  } else if (!parse_unsigned(text, bits)) {
    return "'" + std::string(text) + "' is no number";
  } else if (f.format == FieldFormat::count) {
    if (bits == 0) return "a count is at least 1";
    --bits;
  }
  if (bits <= largest(f.width)) return "";
  return std::string(text) + " does not fit into " + std::to_string(f.width) + " bits";
}

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) {}

  Status line(std::string_view text) {
    ++line_;
    std::vector<std::string_view> words = words_of(text);
    if (!words.empty() && words[0].ends_with(':')) words.erase(words.begin());
    if (words.empty()) return Ok{};
    if (words[0] == ".bitstream") return begin(words);
    if (result_.empty()) result_.push_back({{}, line_, {}});
    if (words[0] == ".bytes") return raw(words);
    return instruction(words);
  }

  std::vector<Assembled> take() { return std::move(result_); }

 private:
  Error error(std::string message) const {
    Error e(ErrorCode::edgetpu_assembly, std::move(message));
    e.place.file = file_;
    e.place.line = line_;
    return e;
  }

  Status begin(const std::vector<std::string_view>& words) {
    const auto id = words.size() == 2 ? parse_id(words[1]) : std::nullopt;
    if (!id) return error("a bitstream is named by four numbers, like 0.0.1.0");
    const bool again = std::any_of(result_.begin(), result_.end(),
                                   [&](const Assembled& a) { return a.id == *id; });
    if (again) return error("bitstream " + to_text(*id) + " is here already");
    if (result_.size() >= kMaxBitstreams) return error("too many bitstreams");
    result_.push_back({*id, line_, {}});
    return Ok{};
  }

  Status raw(const std::vector<std::string_view>& words) {
    Bytes& to = result_.back().data;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string_view digits = words[i];
      if (digits.size() % 2 != 0) return error("an odd number of hexadecimal digits");
      for (size_t d = 0; d < digits.size(); d += 2) {
        uint8_t value = 0;
        if (!parse_number(digits.substr(d, 2), value, 16)) {
          return error("'" + std::string(digits.substr(d, 2)) + "' is no byte");
        }
        to.push_back(static_cast<std::byte>(value));
      }
    }
    return Ok{};
  }

  Status instruction(const std::vector<std::string_view>& words) {
    const OpcodeInfo* info = find_opcode(words[0]);
    const auto mnemonic = info == nullptr ? find_mnemonic(words[0]) : std::nullopt;
    if (mnemonic) info = &edgetpu::info(Opcode::scalar);
    if (info == nullptr) return error("there is no instruction '" + std::string(words[0]) + "'");
    Assembly made(info->opcode);
    seen_.clear();
    if (mnemonic) {
      made.set("op", mnemonic->op).set("immediate", mnemonic->immediate ? 1 : 0);
      seen_ = {"op", "immediate"};
    }
    for (size_t i = 1; i < words.size(); ++i) EDGETWIN_TRY(assign(made, *info, words[i]));
    Bytes& to = result_.back().data;
    to.insert(to.end(), made.bytes().begin(), made.bytes().end());
    return Ok{};
  }

  Status assign(Assembly& made, const OpcodeInfo& info, std::string_view word) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return error("'" + std::string(word) + "' is not of the form name=value");
    }
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) {
      return error("'" + std::string(name) + "' is given twice");
    }
    seen_.push_back(name);
    if (name[0] == '?') return assign_gap(made, info, name, value);
    const FieldInfo* f = field_named(info.opcode, name);
    if (f == nullptr) {
      return error("'" + std::string(info.name) + "' has no field '" + std::string(name) + "'");
    }
    return f->elements == 1 ? assign_element(made, *f, 0, value) : assign_array(made, *f, value);
  }

  Status assign_element(Assembly& made, const FieldInfo& f, size_t element,
                        std::string_view value) {
    uint64_t bits = 0;
    const std::string wrong = parse_value(f, value, bits);
    if (!wrong.empty()) return error(std::string(f.name) + ": " + wrong);
    made.set_bits(f.bit_of(element), f.width, bits);
    return Ok{};
  }

  Status assign_array(Assembly& made, const FieldInfo& f, std::string_view value) {
    if (value.size() < 2 || value.front() != '[' || value.back() != ']') {
      return error(std::string(f.name) + ": a list is written [1,2,3]");
    }
    value = value.substr(1, value.size() - 2);
    for (size_t element = 0; !value.empty(); ++element) {
      if (element >= f.elements) {
        return error(std::string(f.name) + " has " + std::to_string(f.elements) + " elements");
      }
      const size_t end = std::min(value.find(','), value.size());
      EDGETWIN_TRY(assign_element(made, f, element, value.substr(0, end)));
      value = value.substr(std::min(end + 1, value.size()));
    }
    return Ok{};
  }

  // ?bit:width=0x..., exactly one of the runs of bits that no field names.
  Status assign_gap(Assembly& made, const OpcodeInfo& info, std::string_view name,
                    std::string_view value) {
    const size_t colon = name.find(':');
    uint64_t bit = 0;
    uint64_t width = 0;
    uint64_t bits = 0;
    const bool form =
        colon != std::string_view::npos && parse_number(name.substr(1, colon - 1), bit, 10) &&
        parse_number(name.substr(colon + 1), width, 10) && parse_unsigned(value, bits);
    if (!form) return error("'" + std::string(name) + "' is not of the form ?bit:width=value");
    const auto gaps = gaps_of(info.opcode);
    const bool known = std::any_of(gaps.begin(), gaps.end(), [&](const Gap& g) {
      return bit >= g.bit && width >= 1 && width <= 64 && bit + width <= size_t{g.bit} + g.width;
    });
    if (!known) {
      return error("bits " + std::to_string(bit) + " to " + std::to_string(bit + width - 1) +
                   " of '" + std::string(info.name) + "' have names, or do not exist");
    }
    if (bits > largest(static_cast<unsigned>(width))) {
      return error(std::string(value) + " does not fit into " + std::to_string(width) + " bits");
    }
    made.set_bits(bit, static_cast<unsigned>(width), bits);
    return Ok{};
  }

  const std::string& file_;
  int line_ = 0;
  std::vector<Assembled> result_;
  std::vector<std::string_view> seen_;
};

}  // namespace

Result<std::vector<Assembled>> assemble(std::string_view text, const std::string& file) {
  Assembler assembler(file);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    EDGETWIN_TRY(assembler.line(text.substr(0, end)));
    text = text.substr(std::min(end + 1, text.size()));
  }
  return assembler.take();
}

Result<Bytes> assemble_into(std::string_view text, const std::string& text_file, ByteSpan model,
                            const std::string& model_file) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(model, model_file));
  EDGETWIN_TRY_ASSIGN(const std::vector<Assembled> made, assemble(text, text_file));
  Bytes result = to_bytes(model);
  for (const Assembled& a : made) {
    const auto error = [&](ErrorCode code, std::string message) {
      Error e(code, std::move(message));
      e.place.file = text_file;
      e.place.line = a.line;
      return e;
    };
    const darwinn::Bitstream* old = darwinn::find(file, a.id);
    if (old == nullptr) {
      return error(ErrorCode::edgetpu_no_program,
                   "'" + model_file + "' has no bitstream " + to_text(a.id));
    }
    if (old->data.size() != a.data.size()) {
      return error(ErrorCode::edgetpu_assembly, "bitstream " + to_text(a.id) + " is " +
                                                    std::to_string(a.data.size()) +
                                                    " bytes, its place in '" + model_file +
                                                    "' has " + std::to_string(old->data.size()));
    }
    EDGETWIN_TRY(darwinn::overwrite(result, old->place, a.data));
  }
  return result;
}

}  // namespace edgetwin::edgetpu
