#include "targets/edgetpu/program/interpret.h"

#include <bit>
#include <cmath>
#include <limits>

#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

Error broken(std::string message, size_t word) {
  return Error(ErrorCode::edgetpu_instruction, std::move(message)).at_offset(word * kWordBytes);
}

float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

// Half to even; what no int32 can hold becomes the nearest that can.
uint32_t whole(float value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(static_cast<double>(value));
  constexpr double kLow = std::numeric_limits<int32_t>::min();
  constexpr double kHigh = std::numeric_limits<int32_t>::max();
  if (rounded <= kLow) return static_cast<uint32_t>(std::numeric_limits<int32_t>::min());
  if (rounded >= kHigh) return static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
  return static_cast<uint32_t>(static_cast<int32_t>(rounded));
}

// Results that are numbers.
uint32_t compute(ScalarOp op, uint32_t y, uint32_t c) {
  const unsigned shift = c & 31U;
  switch (op) {
    case ScalarOp::add:
      return y + c;
    case ScalarOp::sub:
      return y - c;
    case ScalarOp::and_:
      return y & c;
    case ScalarOp::or_:
      return y | c;
    case ScalarOp::xor_:
      return y ^ c;
    case ScalarOp::shl:
      return y << shift;
    case ScalarOp::shr:
      return y >> shift;
    case ScalarOp::asr:
      return static_cast<uint32_t>(static_cast<int32_t>(y) >> shift);
    case ScalarOp::i2f:
      return bits_of(static_cast<float>(static_cast<int32_t>(c)));
    case ScalarOp::f2i:
      return whole(float_of(c));
    case ScalarOp::fadd:
      return bits_of(float_of(y) + float_of(c));
    case ScalarOp::fsub:
      return bits_of(float_of(y) - float_of(c));
    case ScalarOp::fmul:
      return bits_of(float_of(y) * float_of(c));
    case ScalarOp::fmax:
      return float_of(y) > float_of(c) ? y : c;
    case ScalarOp::fmin:
      return float_of(y) < float_of(c) ? y : c;
    default:
      return c;
  }
}

bool compare(ScalarOp op, uint32_t y, uint32_t c) {
  switch (op) {
    case ScalarOp::eq:
      return y == c;
    case ScalarOp::ne:
      return y != c;
    case ScalarOp::gt:
      return static_cast<int32_t>(y) > static_cast<int32_t>(c);
    case ScalarOp::lt:
      return static_cast<int32_t>(y) < static_cast<int32_t>(c);
    case ScalarOp::ge:
      return static_cast<int32_t>(y) >= static_cast<int32_t>(c);
    default:
      return y >= c;
  }
}

// Where an instruction begins; the length is kept beside it.
std::vector<uint8_t> starts(const Program& program) {
  std::vector<uint8_t> words(program.words, 0);
  for (const Instruction& i : program.instructions) {
    words[i.word] = static_cast<uint8_t>(i.info->words);
  }
  return words;
}

}  // namespace

std::string tag_text(uint32_t tag) {
  switch (tag) {
    case 1:
      return "input";
    case 2:
      return "parameters";
    case 3:
      return "output";
    default:
      return tag >= 4 && tag <= 7 ? "interrupt " + std::to_string(tag - 4)
                                  : "tag " + std::to_string(tag);
  }
}

uint32_t ScalarCore::operand(uint32_t value, bool immediate) const {
  return immediate ? value : registers_[value & 31U];
}

size_t ScalarCore::address(unsigned mode, unsigned field, uint32_t& increment) const {
  increment = mode == 3 ? field >> 5U : 0;
  return (mode == 1 ? field : registers_[field & 31U]) % kMemoryWords;
}

void ScalarCore::arithmetic(unsigned code, unsigned x, uint32_t y, uint32_t c) {
  const ScalarOpInfo* op = find_scalar_op(code);
  if (op == nullptr || op->kind == ScalarKind::none) return;
  if (op->kind == ScalarKind::compare) {
    predicates_[x & 7U] = compare(op->op, y, c);
  } else {
    registers_[x] = compute(op->op, y, c);
  }
}

// All parts of a bundle see the registers as they were before it.
void ScalarCore::execute(ByteSpan word, size_t index) {
  const ScalarWord w = decode_scalar(word);
  if (w.predicated && predicates_[w.predicate] != w.predicate_value) return;
  const uint32_t y = registers_[w.y];
  const uint32_t c = operand(w.imm, w.immediate);
  const uint32_t stored = registers_[w.store_register];
  const uint32_t special = registers_[w.fb];
  uint32_t load_increment = 0;
  uint32_t store_increment = 0;
  const size_t from = address(w.load, w.load_address, load_increment);
  const size_t to = address(w.store, w.store_address, store_increment);

  if (w.load != 0) {
    const uint32_t value = memory_[from];
    registers_[w.load_address & 31U] += load_increment;
    registers_[w.load_register] = value;
  }
  arithmetic(w.op, w.x, y, c);
  if (w.fn != 0) ++real_functions_;
  if (w.fn == kFnReciprocal) registers_[w.fa] = bits_of(1.0F / float_of(special));
  if (w.fn == kFnExp2) registers_[w.fa] = bits_of(std::exp2(float_of(special)));
  if (w.store >= 1 && w.store <= 3) {
    memory_[to] = stored;
    registers_[w.store_address & 31U] += store_increment;
  } else if (w.store == kStoreStream) {
    if (output_.size() < limits_.outputs) output_.push_back(stored);
  } else if (w.store == kStoreSlot) {
    slots_[w.store_address & 3U] = stored;
  } else if (w.store == kStoreIssue && descriptors_.size() < limits_.descriptors) {
    descriptors_.push_back({slots_[3], (uint64_t{slots_[1]} << 32U) | slots_[0], slots_[2], index});
  }
}

ScalarCore::Place::Place(ByteSpan bits) : bitstream(bits), lengths(starts(parse(bits))) {}

Status ScalarCore::step(Place& at, const Other& other) {
  const size_t pc = at.pc;
  if (pc >= at.lengths.size() || at.lengths[pc] == 0) {
    return broken("the scalar core comes to word " + std::to_string(pc) + " of " +
                      std::to_string(at.lengths.size()) + ", where no instruction begins",
                  pc);
  }
  const ByteSpan word = at.bitstream.subspan(pc * kWordBytes);
  size_t next = pc + at.lengths[pc];
  switch (static_cast<Opcode>(opcode_of(word))) {
    case Opcode::halt:
      at.halted = true;
      return Ok{};
    case Opcode::scalar:
      execute(word, pc);
      break;
    case Opcode::branch: {
      const Branch b = decode_branch(word);
      if (!b.conditional || predicates_[b.predicate] == b.value) {
        next = pc + static_cast<size_t>(b.offset);  // modulo 2^64: backwards leads below 0 or far
      }
      break;
    }
    case Opcode::loop: {
      constexpr size_t kMaxNesting = 16;
      const Loop l = decode_loop(word);
      if (at.repeats.size() >= kMaxNesting) return broken("loops are nested too deeply", pc);
      if (l.count > 1) at.repeats.push_back({pc + 1, pc + 1 + l.body, l.count - 1});
      break;
    }
    default:
      if (other) EDGETWIN_TRY(other(*this, pc));
      break;
  }
  ++steps_;
  if (!at.repeats.empty() && next == at.repeats.back().end) {
    Place::Repeat& r = at.repeats.back();
    if (r.left != 0) {
      --r.left;
      next = r.begin;
    } else {
      at.repeats.pop_back();
    }
  }
  at.pc = next;
  return Ok{};
}

Status ScalarCore::run(ByteSpan bitstream, const Other& other) {
  Place at(bitstream);
  for (uint64_t step_number = 0; step_number < limits_.steps; ++step_number) {
    EDGETWIN_TRY(step(at, other));
    if (at.halted) return Ok{};
  }
  return Error(ErrorCode::edgetpu_endless,
               "no HALT within " + std::to_string(limits_.steps) + " words")
      .at_offset(at.pc * kWordBytes);
}

}  // namespace edgetwin::edgetpu
