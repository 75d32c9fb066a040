// The registers of several groups side by side.
#include <algorithm>

#include "targets/max78/machine/layers/layer_config.h"

namespace edgetwin::max78 {
namespace {

// Registers that hold the same in all groups that take part.
constexpr LayerReg kCommon[] = {
    LayerReg::rcnt,      LayerReg::ccnt,       LayerReg::prcnt,      LayerReg::pccnt,
    LayerReg::stride,    LayerReg::wptr_toffs, LayerReg::wptr_moffs, LayerReg::wptr_choffs,
    LayerReg::rptr_base, LayerReg::lctl2,      LayerReg::mcnt,       LayerReg::mcnt2,
    LayerReg::ochan,     LayerReg::oned,       LayerReg::tptr,       LayerReg::nxtlyr};

}  // namespace

void LayerDecoder::groups(unsigned enabled) {
  const auto source = get(Field::lctl_source, LayerReg::lctl);
  const bool together = !c_.passthrough && !c_.depthwise && !c_.quad;
  for (int g = 0; g < kGroups; ++g) {
    const uint64_t own = get(Field::ena_processors, LayerReg::ena, g);
    get(Field::ena_masks, LayerReg::ena, g);
    c_.write_base[static_cast<size_t>(g)] = get(Field::wptr_base_place, LayerReg::wptr_base, g);
    const bool takes_part = g == master_ || !together || ((source >> g) & 1U) != 0;
    if (own != 0 && ((enabled >> g) & 1U) == 0) {
      findings_.add(MachineEvent::group_not_enabled, c_.layer, kNobody, 0, 0, [&] {
        return "layer " + std::to_string(c_.layer) + " uses processors of group " +
               std::to_string(g) + ", which CTL does not enable";
      });
      continue;
    }
    (takes_part ? c_.processors : c_.idle) |= own << (g * kGroupProcessors);
    if (own != 0 && !takes_part) {
      contradiction("group " + std::to_string(g) + " has processors, but `source` leaves it out");
    }
    if (((enabled >> g) & 1U) == 0 || !takes_part) continue;
    if (get(Field::post_bias_enable, LayerReg::post, g) == 0) continue;
    const auto offset = static_cast<int>(get(Field::post_bias, LayerReg::post, g));
    c_.bias[static_cast<size_t>(g)] = c_.calcx4 || c_.broadcast ? offset * 4 : offset;
  }
}

void LayerDecoder::compare_groups(unsigned enabled) {
  for (int g = 0; g < kGroups; ++g) {
    if (g == master_ || ((enabled >> g) & 1U) == 0) continue;
    if (regs_.get(g, LayerReg::ena, c_.layer) == 0) continue;
    for (const LayerReg reg : kCommon) {
      if (regs_.get(g, reg, c_.layer) == regs_.get(master_, reg, c_.layer)) continue;
      findings_.add(MachineEvent::groups_differ, c_.layer, kNobody, 0, 0, [&] {
        return "layer " + std::to_string(c_.layer) + ": register " + std::string(name(reg)) +
               " of group " + std::to_string(g) + " is " + hex_text(regs_.get(g, reg, c_.layer)) +
               ", of group " + std::to_string(master_) + " " +
               hex_text(regs_.get(master_, reg, c_.layer));
      });
    }
  }
}

}  // namespace edgetwin::max78
