#include "formats/darwinn/hints.h"

namespace edgetwin::darwinn {

DmaHint transfer_hint(BaseAddress base, const std::string& name, int64_t bytes) {
  DmaHint hint;
  hint.kind = HintKind::descriptor;
  hint.direction = base == BaseAddress::output ? Direction::from_device : Direction::to_device;
  hint.meta.base = base;
  hint.meta.name = name;
  hint.size = static_cast<int32_t>(bytes);
  return hint;
}

DmaHint fence_hint() {
  DmaHint hint;
  hint.kind = HintKind::fence;
  return hint;
}

DmaHints hints_of(const std::vector<DmaHint>& transfers) {
  DmaHints hints;
  hints.fully_deterministic = true;
  DmaHint instructions;
  instructions.kind = HintKind::instruction;
  hints.hints.push_back(instructions);
  hints.hints.insert(hints.hints.end(), transfers.begin(), transfers.end());
  DmaHint interrupt;
  interrupt.kind = HintKind::interrupt;
  interrupt.direction = Direction::from_device;
  hints.hints.push_back(interrupt);
  return hints;
}

}  // namespace edgetwin::darwinn
