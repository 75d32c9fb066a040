#include <bit>

#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {
namespace {

// "tile 3", "16 tiles"
std::string tiles_text(uint32_t mask) {
  if (std::popcount(mask) == 1) return "tile " + std::to_string(std::countr_zero(mask));
  return std::to_string(std::popcount(mask)) + " tiles";
}

// "4096 (4 x 8)(64 x 4)": the start, then net stride and count of every level that repeats.
std::string traversal_text(const Traversal& t) {
  std::string text = std::to_string(t.start);
  bool first = true;
  for (const Level& l : t.levels()) {
    if (l.count == 1) continue;
    text += first ? " (" : "(";
    first = false;
    text += std::to_string(l.net) + " x " + std::to_string(l.count) + ")";
  }
  return text;
}

std::string nest_text(const Nest& n) {
  std::string loops;
  for (const int64_t l : n.loop) {
    if (l > 1) loops += (loops.empty() ? "" : " x ") + std::to_string(l);
  }
  std::string text = tiles_text(n.tiles) + ", loops " + (loops.empty() ? "1" : loops);
  text += ", bytes " + traversal_text(n.in) + " to " + traversal_text(n.out);
  if (n.weighted()) text += ", weights at " + traversal_text(n.weight);
  return text;
}

std::string move_text(const CopyPattern& c) {
  if (c.fill) {
    return "fills words " + traversal_text(c.b) +
           (c.uses_a() ? ", sends words " + traversal_text(c.a) : std::string());
  }
  if (c.uses_a() && c.uses_b()) {
    return "sends words " + traversal_text(c.a) + ", receives " + traversal_text(c.b);
  }
  return c.uses_a() ? "sends words " + traversal_text(c.a)
                    : "receives words " + traversal_text(c.b);
}

std::string copy_text(const CopyPattern& c) {
  const std::string tiles = tiles_text(c.tiles) + ": ";
  switch (c.engine) {
    case CopyEngine::mesh:
      return tiles + move_text(c);
    case CopyEngine::narrow_to_wide:
      return tiles + "reads words " + traversal_text(c.a);
    case CopyEngine::wide_to_narrow:
      return tiles + (c.numbers
                          ? "parameters from line " + traversal_text(c.a)
                          : "line " + traversal_text(c.a) + " to words " + traversal_text(c.b));
    case CopyEngine::ring_send:
      return tiles + "sends lines " + traversal_text(c.a);
    case CopyEngine::ring_receive:
      return tiles + "receives lines " + traversal_text(c.a);
  }
  return "";
}

std::string param_text(const Instruction& i) {
  const uint64_t lines = i.get("wait.start");
  const auto tiles = static_cast<uint32_t>(i.get("tiles"));
  constexpr uint64_t kLine = 64;
  if (lines == 0 || tiles == 0) return "";
  return "bytes from " + std::to_string((lines - 1) * kLine) + " on to " + tiles_text(tiles);
}

}  // namespace

std::string describe_nest(const Instruction& i) {
  if (const auto nest = decode_nest(i)) return nest_text(*nest);
  if (const auto copy = decode_copy(i)) return copy_text(*copy);
  return i.opcode() == Opcode::param ? param_text(i) : "";
}

}  // namespace edgetwin::edgetpu
