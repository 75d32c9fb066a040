// Words that outfeeds left in the memory of the scalar core, to the host. Source: public programs
// whose outputs have parts with an odd number of words.
#include "targets/edgetpu/compile/emit/program.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint64_t kMemory = 3, kAndNext = 0x20;  // the address goes on by one

Assembly& load(Assembly& a, unsigned to, unsigned address) {
  return a.set("ld", kMemory).set("ldreg", to).set("ldaddr", kAndNext | address);
}

Assembly& store(Assembly& a, unsigned from) { return a.set("st", kStoreStream).set("streg", from); }

Assembly repeat(int64_t count, uint64_t body) {
  return Assembly(Opcode::loop).set("count", static_cast<uint64_t>(count)).set("body", body);
}

}  // namespace

void Program::give_memory(int64_t held, uint32_t tag, bool more) {
  constexpr uint32_t kOutfeedIdle = 0x8;
  const int64_t words = words_given(held, more), rest = held - words;
  const AddressPair output = address_;
  const int64_t bytes = 8 * ceil_div(words, 2);
  const unsigned at = free_ + 2, first = free_ + 3, second = free_ + 4;
  const auto loaded = [&](unsigned to) {
    Assembly a(Opcode::scalar);
    return load(a, to, at);
  };
  const auto stored = [](unsigned from) {
    Assembly a(Opcode::scalar);
    return store(a, from);
  };
  sync(0, 0, false, kOutfeedIdle);
  descriptor_issue(bytes, tag);
  move(at, 0);
  // A word is stored while the one after the next is loaded.
  const int64_t pairs = words / 2;
  if (pairs > 0) {
    for (const unsigned to : {first, second}) add(loaded(to));
    if (pairs > 1) {
      add(repeat(pairs - 1, 2));
      for (const unsigned k : {first, second}) {
        Assembly a = loaded(k);
        add(store(a, k));
      }
    }
    for (const unsigned from : {first, second}) add(stored(from));
  }
  if (words % 2 != 0) {
    add(loaded(first));
    word(Opcode::scalar);
    add(stored(first));
    move(at, 0);
    add(repeat(1, 1));  // what fills the last unit up
    add(stored(at));
  }
  address_ = output;
  if (more) add_to_address(output, output, at, static_cast<uint32_t>(bytes));
  if (rest != 0) {  // to the beginning
    move(first, static_cast<uint32_t>(words));
    move(second, 0);
    add(repeat(rest, 3));
    Assembly from(Opcode::scalar), to(Opcode::scalar);
    add(load(from, at, first));
    word(Opcode::scalar);
    add(to.set("st", kMemory).set("staddr", kAndNext | second).set("streg", at));
  }
}

}  // namespace edgetwin::edgetpu::compiler
