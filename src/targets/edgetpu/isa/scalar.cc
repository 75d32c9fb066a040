#include "targets/edgetpu/isa/scalar.h"

#include <string>

#include "base/text.h"
#include "targets/edgetpu/isa/listing.h"

namespace edgetwin::edgetpu {
namespace {

using enum Evidence;

constexpr ScalarOpInfo kOps[] = {
#define SCALAR_OP(code, name, kind, text, evidence, meaning) \
  {ScalarOp::name, ScalarKind::kind, #name, text, evidence, meaning},
#include "targets/edgetpu/isa/scalar.def"
};

unsigned small(ByteSpan word, size_t bit, unsigned width) {
  return static_cast<unsigned>(get_bits(word, bit, width));
}

// "and_" is "AND": its name in C++ is taken.
std::string capitals(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

std::string s(unsigned index) { return "s" + std::to_string(index); }
std::string p(unsigned index) { return "p" + std::to_string(index); }

std::string memory(unsigned mode, unsigned address) {
  if (mode == 1) return "mem[" + hex_number(address) + "]";
  const unsigned increment = address >> 5U;
  std::string text = "mem[" + s(address & 31U) + "]";
  if (mode == 3) text += ", " + s(address & 31U) + " += " + std::to_string(increment);
  return text;
}

void join(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += "; ";
  text += part;
}

std::string explain_arithmetic(const ScalarWord& w) {
  const ScalarOpInfo* op = find_scalar_op(w.op);
  if (w.op == 0) return "";
  const std::string c = w.immediate ? hex_number(w.imm) : s(w.imm & 31U);
  if (op == nullptr) return "operation " + std::to_string(w.op) + ", not known";
  const std::string to = op->kind == ScalarKind::compare ? p(w.x & 7U) : s(w.x);
  if (op->op == ScalarOp::mov) return to + " = " + c;
  const std::string sign(op->text);
  if (op->op == ScalarOp::i2f || op->op == ScalarOp::f2i) return to + " = " + sign + "(" + c + ")";
  if (op->op == ScalarOp::fmax || op->op == ScalarOp::fmin) {
    return to + " = " + sign + "(" + s(w.y) + ", " + c + ")";
  }
  return to + " = " + s(w.y) + " " + sign + " " + c;
}

std::string explain_store(const ScalarWord& w) {
  switch (w.store) {
    case 0:
      return "";
    case 1:
    case 2:
    case 3:
      return memory(w.store, w.store_address) + " = " + s(w.store_register);
    case kStoreStream:
      return "output " + s(w.store_register);
    case kStoreSlot: {
      static constexpr std::string_view kSlots[] = {"address low", "address high", "length", "tag"};
      return std::string(kSlots[w.store_address & 3U]) + " = " + s(w.store_register);
    }
    case kStoreIssue:
      return "issue the descriptor";
    default:
      return "store " + std::to_string(w.store) + ", not known";
  }
}

std::string explain_fn(const ScalarWord& w) {
  if (w.fn == 0) return "";
  if (w.fn == kFnReciprocal) return s(w.fa) + " = 1 / " + s(w.fb);
  if (w.fn == kFnExp2) return s(w.fa) + " = 2^" + s(w.fb);
  return "function " + std::to_string(w.fn) + ", not known";
}

std::string explain_scalar(const ScalarWord& w) {
  std::string text;
  if (w.load != 0) join(text, s(w.load_register) + " = " + memory(w.load, w.load_address));
  join(text, explain_arithmetic(w));
  join(text, explain_fn(w));
  join(text, explain_store(w));
  if (w.predicated && !text.empty()) {
    text = (w.predicate_value ? "if " : "if not ") + p(w.predicate) + ": " + text;
  }
  return text;
}

}  // namespace

std::span<const ScalarOpInfo> all_scalar_ops() { return kOps; }

const ScalarOpInfo* find_scalar_op(uint64_t code) {
  return code < std::size(kOps) ? &kOps[code] : nullptr;
}

std::string to_text(const Mnemonic& mnemonic) {
  const ScalarOpInfo* op = find_scalar_op(mnemonic.op);
  if (op == nullptr || op->kind == ScalarKind::none) return "";
  std::string text = capitals(op->name);
  return mnemonic.immediate ? text + "I" : text;
}

std::optional<Mnemonic> find_mnemonic(std::string_view text) {
  const std::string wanted = capitals(text);
  for (const ScalarOpInfo& op : kOps) {
    for (const bool immediate : {false, true}) {
      const Mnemonic m{static_cast<unsigned>(op.op), immediate};
      if (to_text(m) == wanted && !wanted.empty()) return m;
    }
  }
  return std::nullopt;
}

ScalarWord decode_scalar(ByteSpan word) {
  ScalarWord w;
  w.predicated = get_bits(word, 0, 1) != 0;
  w.predicate = small(word, 1, 3);
  w.predicate_value = get_bits(word, 4, 1) != 0;
  w.load = small(word, 12, 2);
  w.load_register = small(word, 14, 5);
  w.load_address = small(word, 19, 12);
  w.store = small(word, 32, 4);
  w.store_address = small(word, 36, 12);
  w.store_register = small(word, 49, 5);
  w.op = small(word, 54, 5);
  w.immediate = get_bits(word, 59, 1) != 0;
  w.x = small(word, 60, 5);
  w.y = small(word, 65, 5);
  w.imm = static_cast<uint32_t>(get_bits(word, 70, 32));
  w.fn = small(word, 102, 3);
  w.fa = small(word, 105, 5);
  w.fb = small(word, 110, 5);
  return w;
}

Branch decode_branch(ByteSpan word) {
  Branch b;
  b.conditional = get_bits(word, 12, 1) != 0;
  b.predicate = small(word, 13, 3);
  b.value = get_bits(word, 16, 1) != 0;
  b.offset = get_signed(word, 17, 15);
  return b;
}

Loop decode_loop(ByteSpan word) { return {get_bits(word, 12, 16), get_bits(word, 28, 16)}; }

std::string explain(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::scalar:
      return explain_scalar(decode_scalar(i.bytes));
    case Opcode::branch: {
      const Branch b = decode_branch(i.bytes);
      std::string text = "to " + std::to_string(static_cast<int64_t>(i.word) + b.offset);
      if (b.conditional)
        text += std::string(b.value ? " if p" : " if not p") + std::to_string(b.predicate);
      return text;
    }
    case Opcode::loop: {
      const Loop l = decode_loop(i.bytes);
      return std::to_string(l.count) + " times to before " + std::to_string(i.word + 1 + l.body);
    }
    default:
      return "";
  }
}

}  // namespace edgetwin::edgetpu
