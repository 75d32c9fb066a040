#include "targets/max78/machine/state/finding_list.h"

#include <functional>

namespace edgetwin::max78 {

namespace {

constexpr RuleInfo kEvents[] = {
#define RULE EDGETWIN_RULE
#include "targets/max78/machine/state/events.def"
#undef RULE
};

}  // namespace

RuleTable all_events() { return kEvents; }

const RuleInfo& info(MachineEvent event) { return kEvents[static_cast<size_t>(event)]; }

void FindingList::add(MachineEvent event, int layer, int other, uint32_t address, uint64_t step,
                      const std::function<std::string()>& text) {
  const auto [at, is_new] = index_.try_emplace({event, layer, other}, all_.size());
  if (!is_new) {
    ++all_[at->second].count;
    return;
  }
  Place place;
  if (layer >= 0) place.layer_number = layer;
  if (other != kNobody) place.other_layer = other;  // or kHost, kFifoInput
  if (address != 0) place.address = address;
  place.step = step;
  Finding f = finding_of(info(event), std::move(place), text());
  f.hint.clear();
  all_.push_back(std::move(f));
}

std::string actor_name(int actor) {
  if (actor == kHost) return "the processor";
  if (actor == kFifoInput) return "the FIFO";
  if (actor < 0) return "nobody";
  return "layer " + std::to_string(actor);
}

std::string hex_text(uint32_t value) {
  std::string text = "0x";
  for (int i = 28; i >= 0; i -= 4) text += "0123456789abcdef"[(value >> i) & 15U];
  return text;
}

}  // namespace edgetwin::max78
