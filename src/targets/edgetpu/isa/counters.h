// What orders the engines of the chip: counters, what an instruction counts, and what it waits for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

enum class TileCounter : uint8_t {
#define TILE_COUNTER(name, text, counted_by) name,
#include "targets/edgetpu/isa/counters.def"
};
enum class ScalarCounter : uint8_t {
#define SCALAR_COUNTER(name, text, counted_by) name,
#include "targets/edgetpu/isa/counters.def"
};
inline constexpr size_t kTileCounters = 19;
inline constexpr size_t kScalarCounters = 9;

// A counter of a tile (0 to 18) or of the scalar core (19 on).
struct CounterId {
  uint8_t number = 0;
  constexpr CounterId() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): both lists have one numbering here.
  constexpr CounterId(TileCounter c) : number(static_cast<uint8_t>(c)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr CounterId(ScalarCounter c)
      : number(static_cast<uint8_t>(kTileCounters + static_cast<size_t>(c))) {}
  bool scalar() const { return number >= kTileCounters; }
  size_t index() const { return scalar() ? number - kTileCounters : number; }
  bool operator==(const CounterId&) const = default;
};
std::string_view name(CounterId counter);
// The engine that counts it, by the name of its instructions.
std::string_view counted_by(CounterId counter);

// Whose levels count or wait. A tensor instruction waits by its loop nest.
enum class EngineSide : uint8_t { a, b, loop, out, weight, acc };

// A pass of `level` of this side that is complete adds 1.
struct CountProducer {
  CounterId counter;
  uint8_t level = 0;
  EngineSide side = EngineSide::a;
};
// Pass n of `level` begins when counter >= start + n * step, in 16 bits.
struct Watcher {
  CounterId counter;
  uint8_t level = 0;
  int32_t start = 0, step = 0;
  EngineSide side = EngineSide::a;
  uint8_t element = 0;  // of the arrays `wait.*`
};

std::vector<CountProducer> producers_of(const Instruction& instruction);
// A counter that does not exist is left out.
std::vector<Watcher> watchers_of(const Instruction& instruction);

// Engines of a tile in the order of their opcodes.
inline constexpr size_t kTileEngines = 10;
inline constexpr size_t kNoEngine = kTileEngines;
// Of an instruction that works in tiles; kNoEngine for all others.
size_t tile_engine(Opcode opcode);
std::string_view tile_engine_name(size_t engine);
// The engines that a `tsync` waits for, bit by tile_engine(). Where one of the four bits is named
// whose order is not known, all four engines are.
uint32_t idle_engines(const Instruction& tile_sync);

// For comments in listings: "wait W_IN >= 3 + 2n at level 2, count N_OUT at level 1". Empty where
// an instruction neither waits nor counts.
std::string describe_waits(const Instruction& instruction);

}  // namespace edgetwin::edgetpu
