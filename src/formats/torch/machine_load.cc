// Values that stand in the pickle itself.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "formats/torch/machine.h"

namespace edgetwin::torch {
namespace {

struct GlobalRow {
  std::string_view module;
  std::string_view name;
  Role role;
  DType dtype;
};

constexpr GlobalRow kGlobals[] = {
#define GLOBAL(module, name, role) {module, name, Role::role, DType::float32},
#define STORAGE(name, dtype) {"torch", #name, Role::storage_type, DType::dtype},
#include "formats/torch/globals.def"
};

}  // namespace

Status Machine::load_text(uint64_t size, NodeKind kind) {
  if (size > data_.size() - at_) {
    return error("a text of " + std::to_string(size) + " bytes ends after the pickle");
  }
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw, take(static_cast<size_t>(size)));
  Node out;
  out.kind = kind;
  out.text = as_text(raw);
  return push(std::move(out));
}

// Two's complement, little endian. Numbers beyond 64 bits occur only as the magic number of the
// older layout; they are kept as bytes.
Status Machine::load_long(size_t size) {
  if (size > 8) return load_text(size, NodeKind::bytes);
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw, take(size));
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= std::to_integer<uint64_t>(raw[i]) << (8 * i);
  if (size > 0 && size < 8 && (raw[size - 1] & std::byte{0x80}) != std::byte{0}) {
    value |= ~uint64_t{0} << (8 * size);
  }
  Node out;
  out.kind = NodeKind::integer;
  out.integer = static_cast<int64_t>(value);
  return push(std::move(out));
}

Status Machine::load_int_line(bool is_long) {
  EDGETWIN_TRY_ASSIGN(std::string_view text, line());
  Node out;
  out.kind = NodeKind::integer;
  if (!is_long && (text == "00" || text == "01")) {  // how protocol 0 writes truth values
    out.kind = NodeKind::boolean;
    out.integer = text[1] - '0';
    return push(std::move(out));
  }
  if (is_long && text.ends_with('L')) text.remove_suffix(1);
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out.integer);
  if (ec != std::errc() || end != text.data() + text.size()) {
    return error("'" + std::string(text.substr(0, 40)) + "' is no integer of 64 bits");
  }
  return push(std::move(out));
}

Status Machine::load_float_line() {
  EDGETWIN_TRY_ASSIGN(const std::string_view text, line());
  Node out;
  out.kind = NodeKind::real;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out.real);
  if (ec != std::errc() || end != text.data() + text.size()) {
    return error("'" + std::string(text.substr(0, 40)) + "' is no number");
  }
  return push(std::move(out));
}

// Protocol 0. Texts with escapes do not occur among plain names; they are refused, not guessed.
Status Machine::load_string_line() {
  EDGETWIN_TRY_ASSIGN(std::string_view text, line());
  if (text.find('\\') != std::string_view::npos) return error("a text of protocol 0 has escapes");
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
    text = text.substr(1, text.size() - 2);
  }
  Node out;
  out.kind = NodeKind::text;
  out.text = text;
  return push(std::move(out));
}

Status Machine::load_global(const std::string& module, const std::string& name) {
  if (module.size() > 256 || name.size() > 256) return error("a name is longer than 256 bytes");
  Node out;
  out.kind = NodeKind::global;
  out.text = module + " " + name;
  for (const GlobalRow& row : kGlobals) {
    if (row.module != module || row.name != name) continue;
    out.role = row.role;
    out.dtype = row.dtype;
    return push(std::move(out));
  }
  std::string shown = module.substr(0, 80) + "." + name.substr(0, 80);
  if (std::find(unknown_.begin(), unknown_.end(), shown) == unknown_.end()) {
    if (unknown_.size() < 64) unknown_.push_back(std::move(shown));
  }
  return push(std::move(out));
}

}  // namespace edgetwin::torch
