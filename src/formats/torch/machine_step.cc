// One case for each opcode of the pickle protocols 0 to 4 that plain data can contain; the letters
// are the protocol's own.
#include <algorithm>
#include <array>
#include <bit>

#include "formats/torch/machine.h"

namespace edgetwin::torch {
namespace {

Node plain(NodeKind kind) {
  Node out;
  out.kind = kind;
  return out;
}
Node integer(int64_t value, NodeKind kind = NodeKind::integer) {
  Node out = plain(kind);
  out.integer = value;
  return out;
}
Node real(double value) {
  Node out = plain(NodeKind::real);
  out.real = value;
  return out;
}
double from_big_endian(ByteSpan raw) {
  std::array<std::byte, 8> turned = {};
  std::reverse_copy(raw.begin(), raw.end(), turned.begin());
  return std::bit_cast<double>(turned);
}

}  // namespace

// Frames, and values that stand in the pickle.
Status Machine::step_constant(uint8_t code) {
  switch (code) {
    case 0x80: {  // PROTO
      EDGETWIN_TRY_ASSIGN(const auto version, number<uint8_t>());
      return version <= 5 ? Status(Ok{})
                          : error("pickle protocol " + std::to_string(version) + " is not known");
    }
    case 0x95:  // FRAME
      EDGETWIN_TRY(number<uint64_t>());
      return Ok{};
    case 'N':
      return push(plain(NodeKind::none));
    case 0x88:
      return push(integer(1, NodeKind::boolean));
    case 0x89:
      return push(integer(0, NodeKind::boolean));
    case 'J': {
      EDGETWIN_TRY_ASSIGN(const auto value, number<int32_t>());
      return push(integer(value));
    }
    case 'K': {
      EDGETWIN_TRY_ASSIGN(const auto value, number<uint8_t>());
      return push(integer(value));
    }
    case 'M': {
      EDGETWIN_TRY_ASSIGN(const auto value, number<uint16_t>());
      return push(integer(value));
    }
    case 'G': {
      EDGETWIN_TRY_ASSIGN(const ByteSpan raw, take(8));
      return push(real(from_big_endian(raw)));
    }
    case 'I':
      return load_int_line(false);
    case 'L':
      return load_int_line(true);
    case 'F':
      return load_float_line();
    case 'S':
    case 'V':
      return load_string_line();
    case 0x8a: {  // LONG1
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint8_t>());
      return load_long(size);
    }
    case 'U':     // SHORT_BINSTRING
    case 0x8c: {  // SHORT_BINUNICODE
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint8_t>());
      return load_text(size, NodeKind::text);
    }
    case 'T':
    case 'X': {  // BINSTRING, BINUNICODE
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint32_t>());
      return load_text(size, NodeKind::text);
    }
    case 0x8d: {  // BINUNICODE8
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint64_t>());
      return load_text(size, NodeKind::text);
    }
    case 'C': {
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint8_t>());
      return load_text(size, NodeKind::bytes);
    }
    case 'B': {
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint32_t>());
      return load_text(size, NodeKind::bytes);
    }
    case 0x8e: {  // BINBYTES8
      EDGETWIN_TRY_ASSIGN(const auto size, number<uint64_t>());
      return load_text(size, NodeKind::bytes);
    }
    default:
      return step_container(code);
  }
}

// The stack, and containers of what is on it.
Status Machine::step_container(uint8_t code) {
  switch (code) {
    case '(':
      marks_.push_back(stack_.size());
      return Ok{};
    case '0': {
      EDGETWIN_TRY(pop());
      return Ok{};
    }
    case '1': {
      EDGETWIN_TRY(pop_mark());
      return Ok{};
    }
    case '2': {
      EDGETWIN_TRY_ASSIGN(const Id id, top());
      return push_id(id);
    }
    case ']':
      return push(plain(NodeKind::list));
    case '}':
      return push(plain(NodeKind::dict));
    case ')':
      return push(plain(NodeKind::tuple));
    case 0x85:
    case 0x86:
    case 0x87:  // TUPLE1, TUPLE2, TUPLE3
      return collect(NodeKind::tuple, code - 0x84U);
    case 't':
      return collect_mark(NodeKind::tuple);
    case 'l':
    case 0x91:  // FROZENSET: a list is all that is needed of it
      return collect_mark(NodeKind::list);
    case 'd':
      return collect_mark(NodeKind::dict);
    case 0x8f:  // EMPTY_SET
      return push(plain(NodeKind::list));
    case 'a': {
      EDGETWIN_TRY_ASSIGN(const Id value, pop());
      return append({value});
    }
    case 'e':
    case 0x90: {  // APPENDS, ADDITEMS
      EDGETWIN_TRY_ASSIGN(const auto values, pop_mark());
      return append(values);
    }
    case 's': {
      EDGETWIN_TRY_ASSIGN(const Id value, pop());
      EDGETWIN_TRY_ASSIGN(const Id key, pop());
      return set_items({key, value});
    }
    case 'u': {
      EDGETWIN_TRY_ASSIGN(const auto values, pop_mark());
      return set_items(values);
    }
    default:
      return step_name(code);
  }
}

// The memo, names and what is made with them.
Status Machine::step_name(uint8_t code) {
  switch (code) {
    case 'q': {
      EDGETWIN_TRY_ASSIGN(const auto index, number<uint8_t>());
      return put(index);
    }
    case 'r': {
      EDGETWIN_TRY_ASSIGN(const auto index, number<uint32_t>());
      return put(index);
    }
    case 0x94:  // MEMOIZE
      return put(memo_.size());
    case 'h': {
      EDGETWIN_TRY_ASSIGN(const auto index, number<uint8_t>());
      return get(index);
    }
    case 'j': {
      EDGETWIN_TRY_ASSIGN(const auto index, number<uint32_t>());
      return get(index);
    }
    case 'c': {
      EDGETWIN_TRY_ASSIGN(const auto module, line());
      EDGETWIN_TRY_ASSIGN(const auto symbol, line());
      return load_global(std::string(module), std::string(symbol));
    }
    case 0x93: {  // STACK_GLOBAL
      EDGETWIN_TRY_ASSIGN(const Id symbol, pop());
      EDGETWIN_TRY_ASSIGN(const Id module, pop());
      return load_global(node(module).text, node(symbol).text);
    }
    case 'Q':
      return persistent_id();
    case 'R':
      return reduce();
    case 0x81:  // NEWOBJ
      return new_object();
    case 'b':
      return build();
    default:
      return unknown_opcode(code);
  }
}

Status Machine::unknown_opcode(uint8_t code) {
  --at_;
  return error("opcode " + std::to_string(code) + " is not one of plain data");
}

}  // namespace edgetwin::torch
