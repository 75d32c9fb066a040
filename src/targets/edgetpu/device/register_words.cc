#include "targets/edgetpu/device/register_words.h"

#include <charconv>

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kFirstOfUnits = 0x40000;
constexpr uint64_t kPowerAsleep = 2;  // cur_pwr_state

Error no_register(std::string what) {
  return Error(ErrorCode::bad_value, std::move(what))
      .with_hint("`devices --registers --device virtual` lists all of them.");
}

std::optional<uint64_t> value_of(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  const bool good = r.ec == std::errc() && r.ptr == text.data() + text.size() && !text.empty();
  return good ? std::optional(value) : std::nullopt;
}

const RegisterInfo* register_named(std::string_view name) {
  if (name.starts_with("0x")) {
    const auto address = value_of(name);
    return address && *address <= UINT32_MAX ? find_register(static_cast<uint32_t>(*address))
                                             : nullptr;
  }
  for (const RegisterInfo& r : all_registers()) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

// All bits of a register; BitField::mask() cannot make 64 of them.
bool fits(uint64_t value, int bits) { return bits >= 64 || value >> bits == 0; }

}  // namespace

Result<RegisterWord> parse_register(std::string_view text) {
  RegisterWord word;
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const size_t dot = name.find('.');
  const RegisterInfo* r = register_named(name.substr(0, dot));
  if (r == nullptr) {
    return no_register("there is no register '" + std::string(name.substr(0, dot)) + "'");
  }
  word.field = {r->id, 0, r->width};
  if (dot != std::string_view::npos) {
    word.whole = false;
    const RegisterField* found = nullptr;
    for (const RegisterField& f : all_register_fields()) {
      if (f.reg == r->id && f.name == name.substr(dot + 1)) found = &f;
    }
    if (found == nullptr) {
      return no_register(std::string(r->name) + " has no field '" +
                         std::string(name.substr(dot + 1)) + "'");
    }
    word.field = {r->id, found->low, found->bits};
  }
  if (equals == std::string_view::npos) return word;
  word.writes = true;
  const auto value = value_of(text.substr(equals + 1));
  if (!value || !fits(*value, word.field.bits)) {
    return no_register("'" + std::string(text.substr(equals + 1)) + "' is not a number of " +
                       std::to_string(word.field.bits) + " bits");
  }
  word.value = *value;
  return word;
}

Result<uint64_t> access_register(RegisterPort& port, const RegisterWord& word) {
  port.phase("register access");
  if (word.writes) {
    EDGETWIN_TRY(word.whole ? port.write(word.field.reg, word.value)
                            : port.update(word.field, word.value));
  }
  EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(word.field.reg));
  return word.whole ? value : word.field.get(value);
}

bool needs_awake_chip(Reg reg) { return info(reg).address >= kFirstOfUnits; }

Result<bool> chip_sleeps(RegisterPort& port) {
  port.phase("register access");
  EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(Reg::scu_ctrl_3));
  return field::scu_ctrl_3_cur_pwr_state.get(value) == kPowerAsleep;
}

}  // namespace edgetwin::edgetpu
