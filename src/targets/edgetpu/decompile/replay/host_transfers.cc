#include "targets/edgetpu/decompile/replay/host_transfers.h"

#include <algorithm>

#include "targets/edgetpu/decompile/replay/replay.h"

namespace edgetwin::edgetpu {
namespace {

// Who sent each transfer: what leaves one after the other from the same owner is one transfer.
std::vector<Owner> senders(const std::vector<Sent>& sent) {
  std::vector<Owner> owners;
  for (const Sent& s : sent) {
    const auto top =
        std::max_element(s.votes.begin(), s.votes.end(),
                         [](const auto& x, const auto& y) { return x.second < y.second; });
    if (top == s.votes.end() || (!owners.empty() && owners.back() == top->first)) continue;
    owners.push_back(top->first);
  }
  return owners;
}

}  // namespace

HostTransfers::HostTransfers(const darwinn::Executable& executable, const DecodedProgram& steps)
    : executable_(executable) {
  if (!executable.dma_hints) return;
  find_feeding_hints();
  number_params(steps);
}

void HostTransfers::find_feeding_hints() {
  const auto& hints = executable_.dma_hints->hints;
  for (size_t h = 0; h < hints.size(); ++h) {
    const bool data = hints[h].meta.base == darwinn::BaseAddress::input ||
                      hints[h].meta.base == darwinn::BaseAddress::scratch;
    if (hints[h].kind != darwinn::HintKind::descriptor || !data ||
        hints[h].direction != darwinn::Direction::to_device) {
      continue;
    }
    feeding_hints_.push_back(h);
  }
}

// The PARAM that take from each transfer: those between two infeeds from the same one.
void HostTransfers::number_params(const DecodedProgram& steps) {
  size_t infeeds = 0;
  size_t last = 0;
  std::map<size_t, size_t> feeds;  // steps to the number of their transfer
  size_t count = 0;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    const ProgramInstruction& s = steps.all[i];
    if (s.opcode == Opcode::infeed) ++infeeds;
    if (!steps.takes_input(s)) continue;
    if (count == 0 || last != infeeds) ++count;
    last = infeeds;
    feeds[i] = count - 1;
  }
  // In pieces, or in loops of the scalar core: not to be told.
  if (count == feeding_hints_.size()) transfer_of_param_ = std::move(feeds);
}

Owner HostTransfers::returned(const Replay& replay, size_t store) const {
  const DecodedProgram& steps = replay.steps;
  for (size_t i = store + 1; i < steps.all.size(); ++i) {
    const Opcode o = steps.all[i].opcode;
    if (o == Opcode::infeed || steps.is_nest(i)) return kInput;
    if (o != Opcode::param) continue;
    const auto transfer = transfer_of_param_.find(i);
    if (transfer == transfer_of_param_.end()) return kInput;
    return owner_of(feeding_hints_[transfer->second], replay.sent);
  }
  return kInput;
}

// Which of the transfers from the device left for the same place before.
std::optional<size_t> HostTransfers::leaving_number(size_t hint) const {
  const auto& hints = executable_.dma_hints->hints;
  std::optional<size_t> number;
  size_t leaving = 0;
  for (size_t h = 0; h < hint; ++h) {
    if (hints[h].kind != darwinn::HintKind::descriptor ||
        hints[h].direction != darwinn::Direction::from_device) {
      continue;
    }
    const bool same = hints[h].meta.base == darwinn::BaseAddress::scratch &&
                      hints[h].offset <= hints[hint].offset &&
                      hints[hint].offset < hints[h].offset + hints[h].size;
    if (same) number = leaving;
    ++leaving;
  }
  return number;
}

Owner HostTransfers::owner_of(size_t hint, const std::vector<Sent>& sent) const {
  if (executable_.dma_hints->hints[hint].meta.base != darwinn::BaseAddress::scratch) return kInput;
  const auto number = leaving_number(hint);
  const std::vector<Owner> owners = senders(sent);
  return number && *number < owners.size() ? owners[*number] : kUnknown;
}

}  // namespace edgetwin::edgetpu
