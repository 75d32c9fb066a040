#include "targets/edgetpu/compile/emit/program.h"

#include <algorithm>
#include <utility>

#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kEveryTileCounter = 0x7FFFF;
constexpr uint32_t kEveryScalarCounter = 0x1FF;
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
  last_ = Last::other;
  const ByteSpan bytes(instruction.bytes());
  const Opcode opcode = find_opcode(opcode_of(bytes.first(kWordBytes)))->opcode;
  const FieldInfo* field = vendor() ? find_field(opcode, "tiles") : nullptr;
  if (field == nullptr) return write(instruction);
  count(instruction);
  std::vector<std::pair<Assembly, uint64_t>> all;  // and the tiles that have it
  const uint64_t tiles = get_bits(bytes, field->bit, field->width);
  for (int t = 0; t < 16; ++t) {
    if ((tiles >> t & 1U) == 0) continue;
    Assembly moved = in_tile(instruction, t);
    const auto same =
        std::ranges::find_if(all, [&](const auto& a) { return a.first.bytes() == moved.bytes(); });
    if (same != all.end()) {
      same->second |= uint64_t{1} << t;
    } else {
      all.emplace_back(std::move(moved), uint64_t{1} << t);
    }
  }
  if (all.empty()) return write(instruction);
  for (size_t k = 0; k < all.size(); ++k) {
    Assembly& a = all[k].first;
    a.set(*field, all[k].second);
    if (k != 0 && find_field(opcode, "operation") != nullptr) a.set("operation", operations_++);
    write(a);
  }
}

void Program::write(const Assembly& a) {
  stream_.data.insert(stream_.data.end(), a.bytes().begin(), a.bytes().end());
}

void Program::add(Assembly instruction, uint32_t tiles) {
  const Opcode opcode =
      find_opcode(opcode_of(ByteSpan(instruction.bytes()).first(kWordBytes)))->opcode;
  instruction.set(*find_field(opcode, "tiles"), tiles);
  instruction.set(*find_field(opcode, "operation"), operations_++);
  add(instruction);
}

void Program::tile_sync(uint32_t set, uint32_t idle, bool tell, uint32_t unknown, uint32_t tiles) {
  Assembly a = engine(Opcode::tile_sync, tiles);
  a.set("set", set).set("idle", idle).set("tell", tell ? 1 : 0);
  if ((unknown & 1U) != 0) a.set_bits(kFirstBit, 1, 1);
  if ((unknown & 2U) != 0) a.set_bits(kLastBits, 2, 3);
  add(a);
  for (size_t k = 0; k < kCounted; ++k) {
    if ((set >> k & 1U) == 0) continue;
    for (size_t t = 0; t < counted_.size(); ++t) {
      if ((tiles >> t & 1U) != 0) base_[t][k] = counted_[t][k] = 0;
    }
  }
}

void Program::even_out(uint32_t set, uint32_t idle, int64_t value, uint32_t tiles) {
  if (tiles == 0) return;
  Assembly a = engine(Opcode::tile_sync, tiles);
  a.set("set", set).set("idle", idle).set("value", static_cast<uint64_t>(value));
  write(a);
  for (size_t t = 0; t < counted_.size(); ++t) {
    for (size_t k = 0; k < kCounted; ++k) {
      if ((set >> k & 1U) != 0 && (tiles >> t & 1U) != 0) counted_[t][k] = base_[t][k] + value;
    }
  }
}

void Program::sync(uint32_t set, uint32_t value, bool fence, uint32_t idle) {
  Assembly a(Opcode::sync);
  a.set("set", set).set("value", value).set("idle", idle);
  if (fence) a.set("tiles", kAllTiles).set("fence", 1).set("fence.tiles", kAllTiles);
  add(a);
}

void Program::settle() { tile_sync(0, kAllEngines, false); }

void Program::fence(uint32_t set) {
  tile_sync(set, kAllEngines, true);
  sync(0, 0, true, kFeedsIdle);
}

void Program::epoch() {
  if (last_ == Last::begin && !vendor()) return;
  tile_sync(kTileCounters17, kAllEngines, false);
  last_ = Last::epoch;
}

void Program::barrier() {
  if (last_ == Last::begin) return;
  if (!vendor()) {
    fence(kTileCounters17);
    return;
  }
  fence();
  if (near_end()) {
    epoch();
  } else {
    base_ = counted_;
  }
}

// The vendor's compiler lets what returns to the scalar core count on beyond 16 bits.
bool Program::many_turns() const {
  constexpr int64_t kMost = 12000;  // with room for a step
  if (vendor()) return std::max(ring.a, ring.b) > 2 * kMost;
  return std::max({ring.a, ring.b, ring.ring_outfeed, ring.scalar_in}) > kMost;
}

void Program::await_ring(uint32_t set) {
  if (ring.a == 0 && ring.b == 0) return;
  Assembly wait(Opcode::sync);
  uint32_t waited = 0;
  for (const auto& [counter, turns] : {std::pair{ScalarCounter::producer_a, ring.a},
                                       std::pair{ScalarCounter::producer_b, ring.b}}) {
    if (turns != 0) waited |= 1U << static_cast<uint32_t>(counter);
    wait.set("threshold", static_cast<uint64_t>(turns), static_cast<size_t>(counter));
  }
  wait.set("tiles", kAllTiles).set("idle", kFeedsIdle).set("wait", waited).set("set", set);
  add(wait);
}

void Program::reset_ring(bool all) {
  constexpr auto bit = [](auto counter) { return 1U << static_cast<uint32_t>(counter); };
  const uint32_t a = ring.a != 0 ? 1U : 0U, b = ring.b != 0 ? 1U : 0U;
  if (a + b == 0) return;
  const uint32_t more =
      vendor() ? 0 : bit(ScalarCounter::scalar_infeed) | bit(ScalarCounter::ring_outfeed);
  const uint32_t both = bit(TileCounter::ring_producer_a) | bit(TileCounter::ring_producer_b);
  const uint32_t turns =
      a * bit(TileCounter::ring_producer_a) + b * bit(TileCounter::ring_producer_b);
  await_ring(a * bit(ScalarCounter::producer_a) | b * bit(ScalarCounter::producer_b) | more);
  fence((vendor() ? turns : both) | (all ? kTileCounters17 : 0));
  const RingCounts before = std::exchange(ring, {});
  if (!vendor()) return;
  ring.scalar_in = before.scalar_in, ring.ring_outfeed = before.ring_outfeed;
}

Program::Kept Program::keep(const std::vector<uint32_t>& words, int64_t lines) {
  if (const auto at = kept_.find(words); at != kept_.end()) return {at->second, true};
  if (kept_next_ + lines > kept_end_) return {};
  kept_[words] = kept_next_;
  kept_next_ += lines;
  return {kept_next_ - lines, false};
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

void Program::issue(AddressPair from, int64_t bytes, uint32_t tag) {
  const unsigned length = free_ + 4, name = free_ + 5;
  const auto store = [](unsigned slot, unsigned index) {
    Assembly a(Opcode::scalar);
    a.set("st", kStoreSlot).set("staddr", slot).set("streg", index);
    return a;
  };
  const auto with = [](Assembly a, unsigned to, uint32_t value) {
    a.set("op", static_cast<uint64_t>(ScalarOp::mov)).set("immediate", 1).set("sx", to);
    return a.set("imm", value);
  };
  add(store(0, from.low));
  add(with(store(1, from.high), length, static_cast<uint32_t>(bytes)));
  add(with(store(2, length), name, tag));
  add(store(3, name));
  Assembly a(Opcode::scalar);
  a.set("st", kStoreIssue);
  add(a);
}

void Program::descriptor_address(darwinn::BaseAddress base, const std::string& name) {
  address(kHighAddress, base, darwinn::Position::high, name);
  address(kLowAddress, base, darwinn::Position::low, name);
  address_ = {kLowAddress, kHighAddress};
}

// The vendor's compiler makes a descriptor in six registers: the address (high, low), what goes
// into its slots (low, high), length and tag. Own programs take the address from where it is.
void Program::descriptor_copy() {
  if (!copies_) return;
  copy(free_ + 1, address_.low);
  copy(free_, address_.high);
  address_ = {free_ + 1, free_};
}

void Program::descriptor_issue(int64_t bytes, uint32_t tag) {
  if (copies_) {
    copy(free_ + 2, address_.low);
    copy(free_ + 3, address_.high);
    address_ = {free_ + 2, free_ + 3};
  }
  issue(address_, bytes, tag);
}

void Program::descriptor(darwinn::BaseAddress base, const std::string& name, int64_t bytes,
                         uint32_t tag) {
  if (base == darwinn::BaseAddress::parameter) {
    address_ = {1, 0};
  } else {
    descriptor_address(base, name);
  }
  descriptor_copy();
  descriptor_issue(bytes, tag);
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
  last_ = Last::begin;
}

void Program::begin_parameters() {
  using darwinn::BaseAddress;
  using darwinn::Position;
  free_ = 2;  // it has no scratch memory
  copies_ = true;
  word(Opcode::start);
  tile_sync(kEveryTileCounter, kAllEngines, true, 1);
  sync(kEveryScalarCounter, 0, true, kCoreAllIdle);
  address(1, BaseAddress::parameter, Position::low, "");
  address(0, BaseAddress::parameter, Position::high, "");
}

void Program::end(bool parameters) {
  if (!parameters) {
    if (vendor()) {
      epoch();
      reset_ring();
    } else {
      await_ring();  // the next program sets all counters
    }
  }
  tile_sync(0, kAllEngines, true, parameters ? 3 : 2);
  sync(0, 0, true, kFeedsIdle);
  constexpr uint32_t kInterrupt = 4;
  move(free_, 0);
  if (copies_) move(free_ + 1, 0);
  address_ = {copies_ ? free_ + 1 : free_, free_};
  descriptor_issue(0, kInterrupt);
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
