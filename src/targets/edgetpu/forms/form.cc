#include <array>
#include <bit>
#include <map>

#include "targets/edgetpu/forms/forms.h"
#include "targets/edgetpu/isa/counters.h"

namespace edgetwin::edgetpu::forms {
namespace {

bool is_tensor_code(Opcode o) { return tile_engine(o) == 0 && o != Opcode::table; }
bool is_move(Opcode o) { return o >= Opcode::move_down && o <= Opcode::move_right; }

std::string_view mask_class(uint64_t mask) {
  if (mask == 0) return "none";
  if (mask == 0xFFFF) return "all";
  if (std::has_single_bit(mask)) return "one";
  std::array<uint64_t, 4> rows{};
  for (size_t k = 0; k < 4; ++k) rows.at(k) = (mask >> (4 * k)) & 15U;
  uint64_t first = 0;
  size_t used = 0;
  bool same = true;
  for (const uint64_t row : rows) {
    if (row == 0) continue;
    if (used++ == 0) first = row;
    same = same && row == first;
  }
  if (used == 1 && first == 15) return "row";
  if (used == 4 && same && std::has_single_bit(first)) return "column";
  return same ? "rectangle" : "other";
}

struct SideFields {
  const FieldInfo *start, *step, *count, *levels, *switch_level, *switch_by, *short_level,
      *short_by;
};

std::vector<std::string> sides_of(Opcode o) {
  if (is_tensor_code(o)) return {"in", "out", "weight", "acc"};
  if (o == Opcode::narrow_to_wide || o == Opcode::wide_to_narrow || is_move(o)) return {"a", "b"};
  if (o == Opcode::ring_send || o == Opcode::ring_receive || o == Opcode::ring_receive1) {
    return {"a"};
  }
  return {};
}

// Found by name once for each opcode and side.
const SideFields& fields_of_side(Opcode opcode, const std::string& side) {
  using All = std::map<std::pair<Opcode, std::string>, SideFields>;
  static const All kAll = [] {
    All all;
    for (const OpcodeInfo& info : all_opcodes()) {
      for (const std::string& name : sides_of(info.opcode)) {
        const auto of = [&](const char* part) { return field_named(info.opcode, name + part); };
        all[{info.opcode, name}] = {of(".start"),       of(".step"),         of(".count"),
                                    of(".levels"),      of(".switch_level"), of(".switch_by"),
                                    of(".short_level"), of(".short_by")};
      }
    }
    return all;
  }();
  return kAll.at({opcode, side});
}

std::string fine_side(const Instruction& i, const std::string& side) {
  const SideFields& f = fields_of_side(i.opcode(), side);
  std::vector<std::string> levels;
  int64_t end = 0;
  for (size_t k = 0; k < f.step->elements; ++k) {
    const int64_t step = get_signed(i.bytes, f.step->bit_of(k), f.step->width);
    const auto count = static_cast<int64_t>(i.get(*f.count, k)) + 1;
    const int64_t net = step + end;
    end += net * (count - 1);
    const bool used = ((i.get(*f.levels) >> k) & 1U) != 0;
    if (!used && count == 1 && step == 0) {
      levels.emplace_back(".");
      continue;
    }
    std::string text = "(";
    text += count > 1 ? 'n' : '1';
    text += net == 0 ? 'z' : net > 0 ? '+' : '-';
    if (!used) text += '!';
    levels.push_back(text + ")");
  }
  while (!levels.empty() && levels.back() == ".") levels.pop_back();
  std::string text = side + (i.get(*f.start) != 0 ? ":s" : ":0");
  if (levels.empty()) text += '-';
  for (const std::string& level : levels) text += level;
  const std::string level = std::to_string(i.get(*f.switch_level));
  if (i.get(*f.switch_by) != 0) {
    text += "/switch" + level;
  } else if (i.get(*f.switch_level) != 0) {
    text += "/swl" + level;
  }
  if (i.get(*f.short_level) != 0 || i.get(*f.short_by) != 0) {
    text += "/short" + std::to_string(i.get(*f.short_level));
  }
  return text;
}

std::string hexadecimal(uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return text;
}

std::string coarse_side(const Instruction& i, const std::string& side) {
  const SideFields& f = fields_of_side(i.opcode(), side);
  std::string text = side + "=" + hexadecimal(i.get(*f.levels));
  if (i.get(*f.switch_by) != 0) text += "s" + std::to_string(i.get(*f.switch_level));
  if (i.get(*f.short_level) != 0 || i.get(*f.short_by) != 0) {
    text += "r" + std::to_string(i.get(*f.short_level));
  }
  return text;
}

std::vector<std::string> flags_of(Opcode o) {
  if (is_tensor_code(o)) {
    return {"kind",     "channel_zero_points", "lanes", "function", "wide_result",
            "has_bias", "has_scales",          "odd"};
  }
  if (is_move(o)) return {"fill"};
  switch (o) {
    case Opcode::narrow_to_wide:
      return {"layout", "flush_level", "a.dynamic"};
    case Opcode::wide_to_narrow:
      return {"skip", "numbers"};
    case Opcode::ring_send:
      return {"second", "outfeed"};
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return {"header", "header.level"};
    case Opcode::infeed:
      return {"input"};
    case Opcode::outfeed:
      return {"stream", "host"};
    case Opcode::scalar:
      return {"pg", "ld", "st", "op", "immediate", "fn"};
    case Opcode::halt:
      return {"code"};
    case Opcode::branch:
      return {"conditional", "mode"};
    default:
      return {};
  }
}

std::string lanes_text(uint64_t lanes) {
  const bool usual = lanes == 4 || lanes == 16 || lanes == 32 || lanes == 64;
  return usual ? std::to_string(lanes) : "n";
}

std::string flag_text(const Instruction& i, const std::string& name) {
  const uint64_t value = i.get(*field_named(i.opcode(), name));
  if (name == "kind" || name == "code") return name + "=" + hexadecimal(value);
  if (name == "lanes") return name + "=" + lanes_text(value + 1);
  return name + "=" + std::to_string(value);
}

std::string loops_text(const Instruction& i) {
  std::string text;
  for (size_t k = 0; k < 8; ++k) text += i.get("loop", k) != 0 ? 'n' : '1';
  while (!text.empty() && text.back() == '1') text.pop_back();
  return "loops=" + (text.empty() ? "1" : text) + (i.get("last") != 0 ? "/last" : "");
}

void add_word(std::string& text, const std::string& word) {
  text += (text.empty() ? "" : " ") + word;
}

std::string zero_points_text(const Instruction& i) {
  std::string text = "zps=";
  text += i.get("zero_points.start") != 0 ? '1' : '0';
  text += i.get("zero_points.switch_by") != 0 ? '1' : '0';
  text += i.get("zero_points.end") != 0 ? '1' : '0';
  return text;
}

// The distance of a param's buffers, as a class of what it takes.
std::string buffer_text(const Instruction& i) {
  constexpr uint64_t kUnit = 64;
  return "buffer=" + std::to_string(i.get("a.switch_by") / kUnit);
}

bool is_in_coarse(std::string_view flag) { return flag != "lanes"; }

}  // namespace

std::string coarse_form_of(const Instruction& i) {
  std::string text;
  for (const std::string& side : sides_of(i.opcode())) add_word(text, coarse_side(i, side));
  for (const std::string& flag : flags_of(i.opcode())) {
    if (is_in_coarse(flag)) add_word(text, flag_text(i, flag));
  }
  if (i.opcode() == Opcode::param) add_word(text, buffer_text(i));
  return text;
}

Form form_of(const Instruction& i) {
  Form form;
  form.coarse = coarse_form_of(i);
  const Opcode o = i.opcode();
  if (find_field(o, "tiles") != nullptr && o != Opcode::sync) {
    add_word(form.fine, "tiles=" + std::string(mask_class(i.get("tiles"))));
  }
  if (o == Opcode::ring_send) {
    add_word(form.fine, "to=" + std::string(mask_class(i.get("destination"))));
  }
  const bool engine = tile_engine(o) != kNoEngine && o != Opcode::table;
  if (engine &&
      (i.get("register") != 0 || i.get("tiles.register") != 0 || i.get("tiles.dynamic") != 0)) {
    add_word(form.fine, "registers");
  }
  if (is_tensor_code(o)) add_word(form.fine, loops_text(i));
  for (const std::string& side : sides_of(o)) add_word(form.fine, fine_side(i, side));
  for (const std::string& flag : flags_of(o)) add_word(form.fine, flag_text(i, flag));
  if (o == Opcode::param) add_word(form.fine, buffer_text(i));
  if (is_tensor_code(o) && i.get("channel_zero_points") != 0) {
    add_word(form.fine, zero_points_text(i));
  }
  return form;
}

}  // namespace edgetwin::edgetpu::forms
