#include "estimate/max78/max78.h"

#include <algorithm>

#include "estimate/constants.h"
#include "estimate/max78/parts.h"
#include "estimate/numbers.h"
#include "targets/target.h"

namespace edgetwin::estimates {
namespace {

using max78parts::Work;

constexpr double kLeastMhz = 0.1;

std::string target_name(bool small) {
  return std::string(targets::name(small ? targets::Id::max78000 : targets::Id::max78002));
}

void assume(Estimate& e, const std::string& name, const std::string& value, bool user,
            const char* otherwise) {
  e.assumptions.push_back({name, value, user ? "user" : otherwise});
}

Status choose_clock(const Max78Wishes& wishes, Work& work) {
  const bool small = work.plan->small();
  double most = constant(small ? Constant::max78000_mhz : Constant::max78002_mhz);
  work.pipeline = !small && work.plan->options.pipeline.value_or(true);
  if (!small && !work.pipeline) most = constant(Constant::max78002_no_pipeline_mhz);
  work.mhz = wishes.clock_mhz.value_or(most);
  if (work.mhz >= kLeastMhz && work.mhz <= most) return Ok{};
  return Error(ErrorCode::usage, "--clock " + number_text(work.mhz) + " is out of range")
      .detail("the accelerator of the " + std::string(max78::name(work.plan->chip->device)) +
              " runs at 0.1 to " + number_text(most) + " MHz" +
              (small || work.pipeline ? "" : " without its pipeline"))
      .with_hint("Give the accelerator's clock, not the core's, in MHz.");
}

void describe(const Work& work, const Max78Wishes& wishes, Estimate& e) {
  e.target = target_name(work.plan->small());
  assume(e, "clock_mhz", number_text(work.mhz), wishes.clock_mhz.has_value(), "default");
  assume(e, "core", work.riscv ? "riscv" : "arm", wishes.riscv.has_value(), "model");
  assume(e, "input", work.fifo ? "fifo" : "memory", wishes.fifo.has_value(), "model");
  if (!work.plan->small()) assume(e, "pipeline", work.pipeline ? "yes" : "no", false, "model");
  e.headline = std::string(work.plan->small() ? "MAX78000" : "MAX78002") + " at " +
               number_text(work.mhz) + " MHz";
  e.not_modelled = {"temperature, DMA, interrupts of other tasks, waking from deep sleep",
                    "softmax on the core (below 0.1 ms for 10 to 100 classes)"};
}

}  // namespace

Max78Layer max78_layer(const max78::Plan& plan, const max78::LayerPlan& l) {
  Max78Layer one;
  one.shape = max78::layer_shape(plan, l);
  one.streaming = l.streaming;
  one.out_pixels =
      l.flatten ? int64_t{l.hw_pooled.h} * l.hw_pooled.w : int64_t{l.out_dim.h} * l.out_dim.w;
  if (!l.passthrough()) {
    const int64_t channels = l.depthwise() ? 4 : l.out_channels;
    one.kernel_reads = one.out_pixels * l.in_expand * channels * max78::count_bits(l.processors);
  }
  return one;
}

double max78002_cycles(const Max78Layer& layer, double per_pixel) {
  const int64_t rows = max78::layer_cycles(layer.shape) - max78::cycles_before(layer.shape);
  return static_cast<double>(rows) + per_pixel * static_cast<double>(layer.out_pixels);
}

Result<Estimate> estimate_max78(const max78::Planning& planning, const Max78Wishes& wishes) {
  Work work;
  work.planning = &planning;
  work.plan = planning.plan();
  const max78::Options& options = work.plan->options;
  work.fifo = wishes.fifo.value_or(options.use_fifo());
  work.riscv = wishes.riscv.value_or(options.riscv);
  work.streams = work.plan->streams();
  EDGETWIN_TRY(choose_clock(wishes, work));
  if (work.streams && !work.fifo) {
    return Error(ErrorCode::usage, "--input memory does not go with layers that stream")
        .with_hint("Take `streaming` out of the description, or leave --input out.");
  }
  work.order = work.plan->order;
  std::sort(work.order.begin(), work.order.end());
  for (const int i : work.order)
    work.layers.push_back(max78_layer(*work.plan, work.plan->layer(i)));
  Estimate e;
  describe(work, wishes, e);
  max78parts::add_time(work, e);
  max78parts::add_energy(work, e);
  max78parts::add_memory(work, e);
  max78parts::add_hints(work, e);
  return e;
}

Estimate refused_max78(const max78::Limits& chip, const std::vector<Finding>& findings) {
  Estimate e;
  const bool small = chip.device == max78::Device::max78000;
  e.target = target_name(small);
  e.headline = small ? "MAX78000" : "MAX78002";
  e.memory.verdict = "no";
  for (const Finding& f : findings) {
    if (f.severity == Severity::error && e.memory.reason.empty()) e.memory.reason = line_text(f);
  }
  e.latency_reason = "the network does not fit the chip";
  e.energy_reason = e.latency_reason;
  return e;
}

}  // namespace edgetwin::estimates
