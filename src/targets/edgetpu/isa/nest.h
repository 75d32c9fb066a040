// What the tile engines' instructions say, decoded: the loop nest of a tensor instruction with its
// four traversals and its numbers, and the patterns of the copy engines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

inline constexpr size_t kLoopLevels = 8;
inline constexpr int kNarrowBytes = 196608;  // narrow memory of a tile
inline constexpr int kNarrowWords = kNarrowBytes / 4;

struct Level {
  // Added when the level advances and all inner ones have just finished; nothing is rewound.
  int64_t step = 0;
  int64_t count = 1;
  // What one advance means from the level's own beginning: what a strided loop would have.
  int64_t net = 0;
  bool operator==(const Level&) const = default;
};

// An address generator: start + the sum of net * index over its levels, innermost first. Levels of
// count 1 are kept.
struct Traversal {
  int64_t start = 0;
  size_t size = 0;  // of `level`
  std::array<Level, kLoopLevels> level{};
  // In the last pass of this level the innermost one ends after so many places, as with the last
  // group of channels; 0: every pass is full.
  size_t short_level = 0;
  int64_t short_count = 0;

  bool operator==(const Traversal&) const = default;
  std::span<const Level> levels() const { return {level.data(), size}; }
  // Product of the counts; what does not fit 64 bits is the largest number.
  uint64_t full_count() const;
  // Places that are visited: shorter passes as they are.
  uint64_t count() const;
  // Lowest and highest address.
  int64_t lowest() const;
  int64_t highest() const;
  // Fills `net` from the steps.
  void make_net();
  // Does nothing where there is no such level, or its last pass would not be shorter.
  void set_short(uint64_t at_level, int64_t places);

 private:
  int64_t extreme(bool upwards) const;
};

// The next place of a traversal; false after the last one.
inline bool advance(const Traversal& t, std::array<int64_t, kLoopLevels>& index, int64_t& at) {
  for (size_t k = 0; k < t.size; ++k) {
    const bool shorter =
        k == 0 && t.short_count != 0 && index[t.short_level] == t.level[t.short_level].count - 1;
    const int64_t count = shorter ? t.short_count : t.level[k].count;
    at += t.level[k].net;
    if (++index[k] < count) return true;
    at -= t.level[k].net * count;
    index[k] = 0;
  }
  return false;
}

// Calls `visit(address)` in order for the first `limit` places.
template <class Visit>
void walk(const Traversal& t, uint64_t limit, Visit&& visit) {
  std::array<int64_t, kLoopLevels> index{};
  int64_t at = t.start;
  for (uint64_t n = 0; n < limit; ++n) {
    visit(at);
    if (!advance(t, index, at)) return;
  }
}

// Bits of Nest::kind; see `kind` in isa.def.
inline constexpr uint32_t kKindWeights = 0x8;
inline constexpr uint32_t kKindFinished = 0x20;
inline constexpr uint32_t kKindWide = 0x40;
inline constexpr uint32_t kKindTwoOperands = 0x80;

struct Nest {
  Opcode opcode = Opcode::tensor;
  uint32_t tiles = 0;
  uint32_t operation = 0;
  std::array<int64_t, kLoopLevels> loop{};  // limits, innermost first
  int64_t last = 0;                         // loop 0 in the last pass of the channels; 0: full
  Traversal in, out;                        // bytes of narrow memory
  int64_t in_buffers = 0;  // distance of two buffers of the input that take turns; 0: there is one
  Traversal weight, acc;   // quarters of a line of wide memory
  uint32_t kind = 0;
  bool channel_zero_points = false, function = false, has_bias = false, has_scales = false;
  uint16_t weight_zero_point = 0, output_zero_point = 0;
  uint8_t input_zero_point = 0;
  float multiplier = 0.0F, upper = 0.0F, lower = 0.0F;
  int32_t constant = 0;

  bool operator==(const Nest&) const = default;
  bool weighted() const;  // multiplies by parameters
  // Product of the limits; the shorter last pass (`last`) is one of the passes.
  uint64_t loops() const;
  uint64_t pixels() const;  // product of the output's counts without the innermost
  uint64_t reduction() const { return pixels() == 0 ? 0 : loops() / pixels(); }
};

// Nothing: no tensor instruction.
std::optional<Nest> decode_nest(const Instruction& instruction);

enum class CopyEngine : uint8_t { ring_send, ring_receive, narrow_to_wide, wide_to_narrow, mesh };

// Narrow addresses are words of 4 bytes here, wide ones lines of 256 bytes.
struct CopyPattern {
  CopyEngine engine = CopyEngine::mesh;
  Opcode opcode = Opcode::move_down;
  uint32_t tiles = 0;
  uint32_t operation = 0;
  Traversal a, b;  // side A is read, side B written, as far as the engine has it
  // Of the mesh: what tile t reads goes to tile t + delta, if there is one.
  int rows = 0, columns = 0;
  bool fill = false;  // side B is filled with `pattern`; nothing is received
  uint32_t pattern = 0;
  bool numbers = false;  // wide_to_narrow: scales or biases of the channels, no data
  // Between narrow and wide memory: distance of two buffers that take turns; 0: there is one.
  int64_t a_buffers = 0, b_buffers = 0;

  // A side is used if it has an address, more than one place, or of the mesh a level in use.
  bool sends = false, receives = false;

  bool operator==(const CopyPattern&) const = default;
  bool uses_a() const { return sends; }
  bool uses_b() const { return receives; }
};

// Nothing: none of the copy engines.
std::optional<CopyPattern> decode_copy(const Instruction& instruction);

// The tile that gets what `tile` sends; nothing at the edge of the mesh.
std::optional<int> mesh_receiver(const CopyPattern& move, int tile);

// For comments in listings: what the loop nest of a tensor instruction walks over as net strides
// and counts, or what a copy engine moves from where to where. Empty for other instructions.
std::string describe_nest(const Instruction& instruction);

}  // namespace edgetwin::edgetpu
