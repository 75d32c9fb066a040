// Tables of functions: what a `table` instruction loads, and the way of a sum through them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "targets/edgetpu/machine/work.h"

namespace edgetwin::edgetpu::machine {
namespace {

using numerics::edgetpu::FunctionTable;

constexpr uint64_t kKnownKind = 3;  // of all tables that were seen

float real(const Instruction& i, std::string_view field, size_t element) {
  return std::bit_cast<float>(static_cast<uint32_t>(i.get(field, element)));
}

}  // namespace

Result<Progress> run_table(Core& core, Step& s) {
  const Instruction i = s.instruction();
  auto table = std::make_shared<FunctionTable>();
  size_t n = 0;
  for (auto& piece : table->piece) {
    for (float& coefficient : piece) coefficient = real(i, "coefficient", n++);
  }
  for (size_t k = 0; k < table->bound.size(); ++k) table->bound[k] = real(i, "bound", k);
  const bool known = i.get("kind") == kKnownKind;
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

uint16_t through_table(const FunctionTable& table, const Step& s, int32_t sum, float m, int most) {
  const Nest& n = *s.nest;
  const float x = std::min(std::max(static_cast<float>(sum) * m, n.lower), n.upper);
  float y = s.odd != 0 ? std::copysign(table(std::abs(x)), x) : table(x);
  y = std::clamp(std::nearbyint(y), -65536.0F, 65536.0F);  // half to even
  return static_cast<uint16_t>(std::clamp(static_cast<int>(y) + n.output_zero_point, 0, most));
}

}  // namespace edgetwin::edgetpu::machine
