// Parameters that come from the host while the program runs.
#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kStreamUnit = 64;  // bytes of the parameter stream that are counted as one
constexpr int64_t kStreamChunk = 1024;
constexpr int64_t kStreamMargin = 2044;  // units that may be on their way
constexpr uint32_t kStreamTag = 2;
constexpr uint32_t kSignless = 0x7FFFFFFF;

// Registers: the addresses of the parameters and of the scratch memory, and what a descriptor is
// made of.
constexpr unsigned kHigh = 0, kLow = 1, kHighScratch = 2, kLowScratch = 3;
constexpr unsigned kHighSum = 4, kLowSum = 5, kLowSlot = 6, kHighSlot = 7;
constexpr unsigned kFirstWork = 6, kSecondWork = 10;

Assembly arithmetic(ScalarOp op, unsigned to, unsigned from, uint32_t number) {
  Assembly a(Opcode::scalar);
  a.set("op", static_cast<uint64_t>(op)).set("immediate", 1).set("sx", to).set("sy", from);
  return a.set("imm", number);
}

Assembly when(unsigned predicate, Assembly a) {
  return a.set("pg", 1).set("pi", predicate).set("pv", 1);
}

}  // namespace

// 64 bits plus a number: the sum carries where the highest bit of the low half is set and the sum
// of the other bits sets it again.
void Program::add_to_address(AddressPair from, AddressPair to, unsigned other, uint32_t number) {
  add(arithmetic(ScalarOp::lt, 0, from.low, 0));
  Assembly never(Opcode::scalar);
  never.set("op", static_cast<uint64_t>(ScalarOp::ne)).set("sx", 1).set("sy", from.low);
  add(never.set("imm", from.low));
  add(arithmetic(ScalarOp::and_, other, from.low, kSignless));
  add(when(0, arithmetic(ScalarOp::add, other, other, number)));
  add(when(0, arithmetic(ScalarOp::lt, 1, other, 0)));
  add(arithmetic(ScalarOp::add, to.low, from.low, number));
  add(arithmetic(ScalarOp::add, to.high, from.high, 0));
  add(when(1, arithmetic(ScalarOp::add, to.high, to.high, 1)));
}

void Program::descriptor_copy_from(int64_t offset) {
  add_to_address(address_, {free_ + 1, free_}, free_ + 2, static_cast<uint32_t>(offset));
  address_ = {free_ + 1, free_};
}

void Program::stream(int64_t offset, int64_t bytes) {
  const int64_t units = ceil_div(bytes, kStreamUnit);
  Assembly infeed(Opcode::infeed);
  infeed.set("counts.pop", 1);
  put(infeed, kSideA, stream_walk(streamed_ % (2 * kStreamChunk), units, kStreamChunk));
  put_waits(infeed, {{ScalarCounter::parameter_infeed, 0, streamed_ - kStreamMargin}}, false);
  add(infeed);
  if (copies_ && offset == 0) {
    copy(kLowSum, kLow), copy(kHighSum, kHigh);
  } else {
    add_to_address({kLow, kHigh}, {kLowSum, kHighSum}, kFirstWork, static_cast<uint32_t>(offset));
  }
  address_ = {kLowSum, kHighSum};
  if (copies_) {
    copy(kLowSlot, kLowSum), copy(kHighSlot, kHighSum);
    address_ = {kLowSlot, kHighSlot};
  }
  issue(address_, units * kStreamUnit, kStreamTag);
}

void Program::scratch_address(int64_t offset) {
  add_to_address({kLowScratch, kHighScratch}, {kLowSum, kHighSum}, kFirstWork,
                 static_cast<uint32_t>(offset));
  address_ = {kLowSum, kHighSum};
}

void Program::scratch_copy() {
  add_to_address(address_, {kLowSlot, kHighSlot}, kSecondWork, 0);
  address_ = {kLowSlot, kHighSlot};
}

int64_t Program::streamed_bytes() const { return streamed_ * kStreamUnit; }

void Program::take_stream(uint32_t tiles, int64_t bytes, int64_t lanes) {
  const int64_t units = ceil_div(bytes, kStreamUnit);
  Assembly a(Opcode::param);
  a.set("tiles", tiles).set("lanes", static_cast<uint64_t>(lanes - 1)).set("counts.infeed", 1);
  a.set_bits(kParamAlwaysBit, 1, 1);
  put(a, kSideA, stream_walk(streamed_ % (2 * kStreamChunk), units, kStreamChunk));
  put_waits(
      a,
      {{ScalarCounter::parameter_pop, 0, streamed_ + 1}, {ScalarCounter::producer_a, 2, ring.a, 0}},
      false);
  add(a);
  streamed_ += units;
}

}  // namespace edgetwin::edgetpu::compiler
