// Tables of functions: what a `table` instruction loads, and the way of a sum through them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {
namespace {

using numerics::edgetpu::FunctionTable;

constexpr uint64_t kKnownKind = 3;  // of all tables that were seen

float real(const Instruction& i, FieldName field, size_t element) {
  return std::bit_cast<float>(static_cast<uint32_t>(i.get(field, element)));
}

// Half to even, then the zero point.
int32_t stored(float y, const Nest& n, int32_t most) {
  if (std::isnan(y)) return 0;  // only of a table or a scale that is none
  const float limited = std::clamp(std::nearbyint(y), -131072.0F, 131072.0F);
  return std::clamp(static_cast<int32_t>(limited) + n.output_zero_point, 0, most);
}

}  // namespace

void load_table(const Step& s, Tile& t) {
  const Instruction i = s.instruction();
  t.function.reset();
  if (i.get("kind") != kKnownKind) return;
  auto table = std::make_shared<FunctionTable>();
  size_t n = 0;
  for (auto& piece : table->piece) {
    for (float& coefficient : piece) coefficient = real(i, "coefficient", n++);
  }
  for (size_t k = 0; k < table->bound.size(); ++k) table->bound[k] = real(i, "bound", k);
  t.function = table;
}

Result<Progress> run_table(Core& core, Step& s) {
  for (size_t t = 0; t < kTiles; ++t) {
    if (has_tile(s.tiles, t)) load_table(s, core.tiles[t]);
  }
  return Progress::done;
}

int32_t through_table(const FunctionTable& table, const Step& s, int32_t sum, float m,
                      int32_t most) {
  const Nest& n = *s.nest;
  const float x = std::min(std::max(static_cast<float>(sum) * m, n.lower), n.upper);
  return stored(s.odd != 0 ? numerics::edgetpu::odd(table, x) : table(x), n, most);
}

// Sums of nothing have no root: they get the largest number. No known program reads one.
int32_t through_root_table(const FunctionTable& table, const Nest& n, int32_t sum, float m,
                           int32_t most) {
  const float x = std::min(std::max(static_cast<float>(sum) * m, n.lower), n.upper);
  if (!(x > 0.0F) || std::isinf(x)) return most;
  return stored(numerics::edgetpu::inverse_root(table, x), n, most);
}

}  // namespace edgetwin::edgetpu::machine
