#include "targets/edgetpu/compile/emit/program.h"

#include <utility>

#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kTileCounters17 = 0x1FFFF;  // all but the turns of the ring
constexpr uint32_t kEveryTileCounter = 0x7FFFF;
constexpr uint32_t kEveryScalarCounter = 0x1FF;
constexpr uint32_t kCoreIdle = 0xC;      // infeed and outfeed
constexpr uint32_t kCoreAllIdle = 0x1F;  // all engines of the scalar core
constexpr unsigned kImmediateBit = 70;   // of a scalar move: the bits that the driver overwrites

// Bits of tsync without a meaning, in the first and the last one of a program; sync.md 5.
constexpr unsigned kFirstBit = 43, kLastBits = 109;

}  // namespace

Assembly Program::engine(Opcode opcode, uint32_t tiles) {
  Assembly a(opcode);
  if (find_field(opcode, "operation") != nullptr) a.set("operation", operations_++);
  if (find_field(opcode, "tiles") != nullptr) a.set("tiles", tiles);
  return a;
}

void Program::add(const Assembly& instruction) {
  stream_.data.insert(stream_.data.end(), instruction.bytes().begin(), instruction.bytes().end());
}

void Program::add(Assembly instruction, uint32_t tiles) {
  const Opcode opcode =
      find_opcode(opcode_of(ByteSpan(instruction.bytes()).first(kWordBytes)))->opcode;
  instruction.set(*find_field(opcode, "tiles"), tiles);
  instruction.set(*find_field(opcode, "operation"), operations_++);
  add(instruction);
}

void Program::tile_sync(uint32_t set, uint32_t idle, bool tell, uint32_t unknown) {
  Assembly a = engine(Opcode::tile_sync, kAllTiles);
  a.set("set", set).set("idle", idle).set("tell", tell ? 1 : 0);
  if ((unknown & 1U) != 0) a.set_bits(kFirstBit, 1, 1);
  if ((unknown & 2U) != 0) a.set_bits(kLastBits, 2, 3);
  add(a);
}

void Program::sync(uint32_t set, uint32_t value, bool fence, uint32_t idle) {
  Assembly a(Opcode::sync);
  a.set("set", set).set("value", value).set("idle", idle);
  if (fence) a.set("tiles", kAllTiles).set("fence", 1).set("fence.tiles", kAllTiles);
  add(a);
}

void Program::settle() { tile_sync(0, kAllEngines, false); }

void Program::barrier() {
  tile_sync(kTileCounters17, kAllEngines, false);
  tile_sync(0, kAllEngines, true);
  sync(0, 0, true, kCoreIdle);
}

void Program::reset_ring() {
  Assembly a(Opcode::sync);
  const auto index_a = static_cast<uint32_t>(ScalarCounter::producer_a);
  const auto index_b = static_cast<uint32_t>(ScalarCounter::producer_b);
  const auto in = static_cast<uint32_t>(ScalarCounter::scalar_infeed);
  const auto out = static_cast<uint32_t>(ScalarCounter::ring_outfeed);
  uint32_t waited = 0;
  if (ring.a != 0) waited |= 1U << index_a;
  if (ring.b != 0) waited |= 1U << index_b;
  if (waited == 0) return;
  a.set("tiles", kAllTiles).set("idle", kCoreIdle).set("wait", waited);
  a.set("set", waited | (1U << in) | (1U << out));
  a.set("threshold", static_cast<uint64_t>(ring.a), index_a);
  a.set("threshold", static_cast<uint64_t>(ring.b), index_b);
  add(a);
  tile_sync(0x60000, kAllEngines, true);
  sync(0, 0, true, kCoreIdle);
  ring = {};
}

void Program::word(Opcode opcode) { add(Assembly(opcode)); }

void Program::move(unsigned to, uint32_t value) {
  Assembly a(Opcode::scalar);
  a.set("op", static_cast<uint64_t>(ScalarOp::mov)).set("immediate", 1).set("sx", to);
  a.set("imm", value);
  add(a);
}

void Program::copy(unsigned to, unsigned from) {
  Assembly a(Opcode::scalar);
  a.set("op", static_cast<uint64_t>(ScalarOp::mov)).set("sx", to).set("imm", from);
  add(a);
}

void Program::address(unsigned to, darwinn::BaseAddress base, darwinn::Position half,
                      const std::string& name) {
  darwinn::FieldOffset field;
  field.meta.base = base;
  field.meta.position = half;
  field.meta.name = name;
  field.offset_bit = static_cast<int32_t>(stream_.data.size() * 8 + kImmediateBit);
  stream_.field_offsets.push_back(std::move(field));
  move(to, 0);
}

// Slots of the descriptor from s6, s7 (address), s8 (length), s9 (tag).
void Program::issue(int64_t bytes, uint32_t tag) {
  const auto store = [](unsigned slot, unsigned from) {
    Assembly a(Opcode::scalar);
    a.set("st", kStoreSlot).set("staddr", slot).set("streg", from);
    return a;
  };
  const auto with = [](Assembly a, unsigned to, uint32_t value) {
    a.set("op", static_cast<uint64_t>(ScalarOp::mov)).set("immediate", 1).set("sx", to);
    return a.set("imm", value);
  };
  add(store(0, 6));
  add(with(store(1, 7), 8, static_cast<uint32_t>(bytes)));
  add(with(store(2, 8), 9, tag));
  add(store(3, 9));
  Assembly a(Opcode::scalar);
  a.set("st", kStoreIssue);
  add(a);
}

void Program::descriptor(darwinn::BaseAddress base, const std::string& name, int64_t bytes,
                         uint32_t tag) {
  if (base == darwinn::BaseAddress::parameter) {
    copy(5, 1);
    copy(4, 0);
  } else {
    address(10, base, darwinn::Position::high, name);
    address(11, base, darwinn::Position::low, name);
    copy(5, 11);
    copy(4, 10);
  }
  copy(6, 5);
  copy(7, 4);
  issue(bytes, tag);
}

void Program::begin() {
  using darwinn::BaseAddress;
  using darwinn::Position;
  word(Opcode::start);
  tile_sync(kEveryTileCounter, kAllEngines, true);
  sync(kEveryScalarCounter, 0, true, kCoreAllIdle);
  address(1, BaseAddress::parameter, Position::low, "");
  address(0, BaseAddress::parameter, Position::high, "");
  address(3, BaseAddress::scratch, Position::low, "");
  address(2, BaseAddress::scratch, Position::high, "");
}

void Program::begin_parameters() {
  using darwinn::BaseAddress;
  using darwinn::Position;
  word(Opcode::start);
  tile_sync(kEveryTileCounter, kAllEngines, true, 1);
  sync(kEveryScalarCounter, 0, true, kCoreAllIdle);
  address(1, BaseAddress::parameter, Position::low, "");
  address(0, BaseAddress::parameter, Position::high, "");
}

void Program::end(bool parameters) {
  if (!parameters) {
    tile_sync(kTileCounters17, kAllEngines, false);
    reset_ring();
  }
  tile_sync(0, kAllEngines, true, parameters ? 3 : 2);
  sync(0, 0, true, kCoreIdle);
  constexpr uint32_t kInterrupt = 4;
  move(4, 0);
  move(5, 0);
  copy(6, 5);
  copy(7, 4);
  issue(0, kInterrupt);
  Assembly halt(Opcode::halt);
  halt.set("code", 0x10);
  add(halt);
  for (int k = 0; k < 4; ++k) word(Opcode::scalar);
  Assembly last(Opcode::end);
  last.set("length", 128);
  add(last);
}

darwinn::Bitstream Program::finish() {
  const uint64_t words = stream_.data.size() / kWordBytes;
  set_bits(stream_.data, find_field(Opcode::start, "length")->bit, 32, (words - 2) * kWordBits);
  operations_ = 0;
  return std::exchange(stream_, {});
}

}  // namespace edgetwin::edgetpu::compiler
