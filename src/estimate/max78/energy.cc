// Source: specification of estimates 1.6.
#include "estimate/constants.h"
#include "estimate/max78/parts.h"
#include "estimate/numbers.h"

namespace edgetwin::estimates::max78parts {
namespace {

constexpr double kMaxSpeedPower = 3.0;

EstimateRange loading_energy(const Work& w, const EstimateRange& ms) {
  const double mw =
      constant(w.riscv ? Constant::max78002_load_mw_riscv : Constant::max78002_load_mw) *
      (w.plan->options.max_speed ? kMaxSpeedPower : 1.0);
  return range_of(ms.mid * mw, 0.9, 1.1);
}

}  // namespace

void add_energy(const Work& w, Estimate& e) {
  if (w.plan->small()) {
    e.energy_reason = "one public figure only (a face network, 1.4 ms, 0.09 mJ): nothing to fit";
    return;
  }
  if (!w.pipeline) {
    e.energy_reason = "no public figure without the pipeline";
    return;
  }
  int64_t reads = 0;
  double ms = 0.0;
  for (const Max78Layer& l : w.layers) reads += l.kernel_reads;
  for (const EstimateLayer& l : e.layers) ms += l.ms;
  const double mid = constant(Constant::max78002_run_mw) * ms +
                     constant(Constant::max78002_kernel_pj) * 1e-6 * static_cast<double>(reads);
  const EstimateRange inference = range_of(mid, 0.8, 1.25);
  EstimateRange all = inference;
  for (EstimatePhase& p : e.phases) {
    if (p.name == "inference") p.energy_uj = inference;
    if (p.name != "load_weights" && p.name != "load_input") continue;
    p.energy_uj = loading_energy(w, *p.ms);
    if (p.name == "load_input" && w.fifo) all = sum(all, *p.energy_uj);
  }
  e.energy_uj = all;
  e.not_modelled.push_back("idle power; kernels of fewer bits cost less");
}

}  // namespace edgetwin::estimates::max78parts
