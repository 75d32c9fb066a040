// cnn_configure: the registers of all layers. Source: specification "registers" 1, 2, 5.2 and 7.
#include "targets/max78/chip/regs.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

constexpr int kStreamLayers = 8;  // MAX78002 has registers for as many

class Configurer {
 public:
  Configurer(const Plan& plan, Function& f) : plan_(plan), f_(f) {}

  // `round`: of --repeat-layers, whose layers follow each other.
  void layer(const LayerPlan& l, int group, int round) {
    const LayerRegs r(plan_, l);
    reset_ = plan_.has_reset(l.index) && group == plan_.groups.front();
    group_ = group;
    layer_ = plan_.hw_layer(l.index) + round * (plan_.hw_layer(plan_.last) + 1);
    put(LayerReg::nxtlyr, r.next());
    put(LayerReg::rcnt, r.rows(), 1U << 16);
    put(LayerReg::ccnt, r.columns(), 1U << 16);
    put(LayerReg::prcnt, r.pool_rows());
    put(LayerReg::pccnt, r.pool_columns());
    put(LayerReg::stride, r.stride(), 0x10);
    put(LayerReg::wptr_base, r.write_base(group), r.write_base(group));
    put(LayerReg::wptr_toffs, r.write_time_slot(), r.write_time_slot());
    if (r.writes_mask()) put(LayerReg::wptr_moffs, r.write_mask());
    put(LayerReg::wptr_choffs, r.write_pass());
    put(LayerReg::rptr_base, r.read_base(), r.read_base());
    put(LayerReg::lctl, r.control(group), 0x920);
    put(LayerReg::lctl2, r.control2());
    if (plan_.small() || r.writes_mask()) put(LayerReg::mcnt, r.kernels());
    if (!plan_.small()) {
      put(LayerReg::mcnt2, r.kernels2());
      put(LayerReg::ochan, r.out_channels());
    }
    put(LayerReg::oned, r.one_dimension(), 0x100);
    put(LayerReg::tptr, r.row_memory());
    put(LayerReg::post, r.post(group), 0x03000000);
    put(LayerReg::ena, r.enables(group), 1);
    stream(l);
  }

  // --zero-unused: the registers of layers that the network does not have.
  void unused() {
    if (!plan_.options.zero_unused) return;
    for (int i = plan_.hw_layer(plan_.last) + 1; i < plan_.chip->max_layers; ++i) {
      for (const int g : plan_.groups) {
        for (size_t r = 0; r < layer_regs().size(); ++r) {
          const auto reg = static_cast<LayerReg>(r);
          const bool streams =
              reg == LayerReg::stream1 || reg == LayerReg::stream2 || reg == LayerReg::fmax;
          if (!has(*plan_.chip, reg)) continue;
          if (streams && !plan_.small() && i >= kStreamLayers) continue;
          f_.accesses.push_back(
              {.kind = Access::Kind::write, .address = address(*plan_.chip, reg, g, i)});
        }
      }
    }
  }

  void snoop() {
    if (plan_.network->snoop.empty()) return;
    for (const int g : plan_.groups) {
      const uint32_t base = address(*plan_.chip, GlobalReg::snoop, g);
      for (uint32_t i = 0; i < 24 && i < plan_.network->snoop.size(); ++i) {
        write(base + 4 * i, plan_.network->snoop[i]);
      }
    }
  }

  void fifo() {
    const Options& o = plan_.options;
    if (!o.use_fifo()) return;
    if (o.use_fast_fifo()) {
      write(kFastFifoBase + 8, 0);
      write(kFastFifoBase, 0xa0);
      return;
    }
    const LayerPlan& first = plan_.layer(plan_.start);
    uint32_t control = 0x108 | u(o.ready_sel_fifo);
    if (plan_.small()) control |= 1U << 11;
    for (int i = 0; i < plan_.sample.c; ++i) {
      if (in_map(first.processors, i % 4 * 16)) control |= 1U << (12 + i % 4);
    }
    write(kFifoBase, control);
  }

 private:
  void write(uint32_t to, uint32_t value) {
    if (value == 0 && !plan_.options.write_zero_registers) return;
    f_.accesses.push_back({.kind = Access::Kind::write, .address = to, .value = value});
  }

  // `reset`: the value of the layer that clears the average pooling before this one.
  void put(LayerReg reg, uint32_t value, uint32_t reset = 0) {
    if (!has(*plan_.chip, reg)) return;
    if (reset_ && reset != 0) write(address(*plan_.chip, reg, group_, layer_ - 1), reset);
    write(address(*plan_.chip, reg, group_, layer_), value);
  }

  void stream(const LayerPlan& l) {
    if (!plan_.small() && layer_ >= kStreamLayers) return;
    const StreamValues v = stream_values(plan_, l);
    const bool first = l.index == plan_.start;
    put(LayerReg::stream1,
        static_cast<uint32_t>(v.start) | (plan_.options.fifo_go && first ? 1U << 25 : 0));
    put(LayerReg::stream2, static_cast<uint32_t>(v.invol | v.delta1 << 4 | v.delta2 << 16));
    if (v.rolls) put(LayerReg::fmax, static_cast<uint32_t>(v.rollover));
    if (!first || !plan_.options.use_fifo()) return;
    const int64_t pixels = int64_t{l.hw_in.h} * l.hw_in.w;
    write(address(*plan_.chip, GlobalReg::ifrm, group_),
          static_cast<uint32_t>(l.yaml->big_data ? (pixels + 3) / 4 : pixels));
  }

  const Plan& plan_;
  Function& f_;
  int group_ = 0, layer_ = 0;
  bool reset_ = false;
};

}  // namespace

Function cnn_configure(const Plan& plan) {
  Function f{"cnn_configure", {}};
  Configurer c(plan, f);
  for (int round = 0; round < plan.options.rtl.repeat_layers; ++round) {
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      const LayerPlan& l = plan.layers[i];
      if (l.prev < 0 && l.index != plan.start) continue;
      for (const int g : plan.groups) c.layer(l, g, round);
    }
  }
  c.unused();
  c.snoop();
  c.fifo();
  return f;
}

}  // namespace edgetwin::max78
