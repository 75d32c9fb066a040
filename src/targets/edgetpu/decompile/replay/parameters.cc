#include "targets/edgetpu/decompile/replay/parameters.h"

#include <bit>

namespace edgetwin::edgetpu {
namespace {

// To the last stage that takes parameters; what follows then is another stage.
void give(std::vector<Stage>& stages, const BlockPlace& block) {
  for (auto s = stages.rbegin(); s != stages.rend(); ++s) {
    const bool constant_bias = s->kind == StageKind::rescale && s->nest.kind == 0x30 &&
                               s->nest.has_bias && s->blocks.empty() && s == stages.rbegin();
    if (!multiplies(s->kind) && !constant_bias) continue;
    s->blocks.push_back(block);
    s->closed = true;
    return;
  }
}

}  // namespace

void load_resident(ReplayState& state, const CopyPattern& c) {
  if (std::popcount(c.tiles) != 1) return;
  const auto found = state.resident.at.find({std::countr_zero(c.tiles), c.a.start});
  if (found == state.resident.at.end()) return;
  state.loaded[found->second] = true;
  give(state.result.stages, state.resident.blocks[found->second]);
}

void load_streamed(ReplayState& state, const ProgramInstruction& s) {
  const auto offset = state.result.steps.param_offset(s, state.executable.parameters.size());
  if (!offset || state.data_params.contains(state.at)) return;
  give(state.result.stages, {false, *offset, 0, 0});
}

}  // namespace edgetwin::edgetpu
