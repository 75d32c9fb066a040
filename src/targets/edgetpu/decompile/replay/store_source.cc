#include "targets/edgetpu/decompile/replay/store_source.h"

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {
namespace {

// What may stand between a store and the copy that it belongs to.
bool stands_between(Opcode o) {
  return o == Opcode::scalar || o == Opcode::tile_sync || o == Opcode::sync ||
         o == Opcode::ring_receive || o == Opcode::ring_receive1;
}

// The PARAM after a store and its ring transfer, if it reads the program's own parameters.
std::optional<size_t> streamed_to_store(ReplayState& state, size_t store) {
  const auto& all = state.result.steps.all;
  for (size_t i = store + 1; i < all.size(); ++i) {
    const Opcode o = all[i].opcode;
    if (stands_between(o) || o == Opcode::wide_to_narrow) continue;
    if (o != Opcode::param) return std::nullopt;
    const auto offset = state.result.steps.param_offset(all[i], state.executable.parameters.size());
    if (offset) state.data_params.insert(i);
    return offset;
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> broadcast_fetch(const DecodedProgram& steps, size_t store) {
  bool sent = false;
  for (size_t i = store + 1; i < steps.all.size(); ++i) {
    const Opcode o = steps.all[i].opcode;
    if (stands_between(o) || (o == Opcode::wide_to_narrow && !sent)) continue;
    if (o == Opcode::ring_send) {
      sent = true;
      continue;
    }
    if (o == Opcode::narrow_to_wide && sent) return i;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<size_t> kept_fetch(const DecodedProgram& steps, size_t store) {
  if (store < 3 || steps.all[store - 1].opcode != Opcode::ring_send ||
      steps.all[store - 2].opcode != Opcode::ring_receive ||
      steps.all[store - 3].opcode != Opcode::narrow_to_wide) {
    return std::nullopt;
  }
  const bool in_place = steps.copy(store).a_buffers == 0 && steps.copy(store - 3).b_buffers == 0;
  return in_place ? std::optional(store - 3) : std::nullopt;
}

OutsideWords outside_words(ReplayState& state, size_t store) {
  if (const auto place = streamed_to_store(state, store)) {
    return {kStreamed, static_cast<uint32_t>(*place)};
  }
  return {state.host.returned(state.result, store), 0};
}

}  // namespace edgetwin::edgetpu
