// Tables of functions: what a `table` instruction loads, and the way of a sum through them.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "targets/edgetpu/machine/work.h"

namespace edgetwin::edgetpu::machine {
namespace {

using numerics::edgetpu::FunctionTable;

constexpr unsigned kPiecesBit = 62;  // eight times five coefficients, then seven bounds
constexpr unsigned kWordBits = 32;
constexpr uint64_t kKnownEnd = 3;  // behind the bounds, in all tables that were seen

}  // namespace

Result<Progress> run_table(Core& core, Step& s) {
  const Instruction i = s.instruction();
  unsigned at = kPiecesBit;
  const auto next = [&] {
    const auto bits = static_cast<uint32_t>(i.bits(at, kWordBits));
    at += kWordBits;
    float value = 0.0F;
    std::memcpy(&value, &bits, 4);
    return value;
  };
  auto table = std::make_shared<FunctionTable>();
  for (auto& piece : table->piece) std::generate(piece.begin(), piece.end(), next);
  std::generate(table->bound.begin(), table->bound.end(), next);
  const bool known = i.bits(at, kWordBits) == kKnownEnd;
  for (size_t t = 0; t < kTiles; ++t) {
    if (!has_tile(s.tiles, t)) continue;
    if (known) {
      core.tiles[t].function = table;
    } else {
      core.tiles[t].function.reset();
    }
  }
  return Progress::done;
}

uint8_t through_table(const FunctionTable& table, const Nest& n, int32_t sum, float m) {
  const float x = std::min(std::max(static_cast<float>(sum) * m, n.lower), n.upper);
  const float y = std::clamp(std::nearbyint(table(x)), -65536.0F, 65536.0F);
  return static_cast<uint8_t>(std::clamp(static_cast<int>(y) + n.output_zero_point, 0, 255));
}

}  // namespace edgetwin::edgetpu::machine
