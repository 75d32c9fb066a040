// Source: specification of estimates 1.2 to 1.5.
#include <algorithm>

#include "estimate/constants.h"
#include "estimate/max78/parts.h"
#include "estimate/numbers.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/generate/generate.h"

namespace edgetwin::estimates::max78parts {
namespace {

constexpr double kMaxSpeed = 1.5;  // loads so much faster with --max-speed

// Words that the core writes in a function.
int64_t written_words(const max78::Function& f) {
  int64_t words = 0;
  for (const max78::Access& a : f.accesses) {
    if (a.kind == max78::Access::Kind::write || a.kind == max78::Access::Kind::write_byte) ++words;
    if (a.kind != max78::Access::Kind::read) words += static_cast<int64_t>(a.words.size());
  }
  return words;
}

int64_t input_words(const max78::Plan& plan) {
  const max78::SampleShape& s = plan.sample;
  const auto zeros = Tensor::zeros(DType::int8, Shape{s.c, s.h, s.w});
  return zeros.ok() ? written_words(max78::load_input(plan, *zeros)) : 0;
}

int64_t read_words(const max78::Plan& plan) {
  int64_t words = 0;
  for (const max78::UnloadAccess& a : max78::unload_accesses(plan)) words += a.write ? 0 : a.count;
  return words;
}

// Milliseconds of `words` that are loaded; of the MAX78000 an assumption.
EstimateRange loading(const Work& w, int64_t words, Constant arm, Constant riscv) {
  const double n = static_cast<double>(words) / 1000.0;
  EstimateRange r;
  if (w.plan->small()) {
    r = {n * constant(Constant::max78000_load_low), n * constant(Constant::max78000_load),
         n * constant(Constant::max78000_load_high)};
  } else {
    r = range_of(n * constant(w.riscv ? riscv : arm), 0.94, 1.06);
  }
  return w.plan->options.max_speed ? scaled(r, 1.0 / kMaxSpeed) : r;
}

// Milliseconds until the answer is read; an assumption.
EstimateRange unloading(const Work& w) {
  const double n = static_cast<double>(read_words(*w.plan)) / 1000.0;
  if (w.plan->small()) {
    return {n * constant(Constant::max78000_unload_low), n * constant(Constant::max78000_unload),
            n * constant(Constant::max78000_unload_high)};
  }
  return {n * constant(Constant::max78002_unload_low), n * constant(Constant::max78002_unload),
          n * constant(Constant::max78002_unload_high)};
}

void add_loading(const Work& w, Estimate& e) {
  const std::string assumed =
      w.plan->small() ? "no loading time is published for this chip: assumed" : "";
  const int64_t weights = written_words(max78::cnn_load_weights(*w.plan)) +
                          written_words(max78::cnn_load_bias(*w.plan));
  e.phases.push_back(
      {"load_weights",
       true,
       loading(w, weights, Constant::max78002_load_weights, Constant::max78002_load_weights_riscv),
       {},
       assumed});
  const Constant arm = w.fifo ? Constant::max78002_load_fifo : Constant::max78002_load_input;
  e.phases.push_back({"load_input",
                      false,
                      loading(w, input_words(*w.plan), arm, Constant::max78002_load_input_riscv),
                      {},
                      assumed});
}

// Milliseconds of the layers: low, middle and high factor of those that stream.
EstimateRange layers_ms(const Work& w) {
  EstimateRange cycles;
  for (const Max78Layer& l : w.layers) {
    if (!w.plan->small()) {
      const double pixel = w.pipeline ? constant(Constant::max78002_pixel) : 0.0;
      const double c = max78002_cycles(l, pixel);
      cycles = sum(cycles, range_of(c, 0.96, 1.04));
      continue;
    }
    const auto c = static_cast<double>(max78::layer_cycles(l.shape));
    const EstimateRange streams = {c * constant(Constant::max78000_streaming_low),
                                   c * constant(Constant::max78000_streaming),
                                   c * constant(Constant::max78000_streaming_high)};
    cycles = sum(cycles, l.streaming ? streams : range_of(c, 0.997, 1.003));
  }
  if (w.plan->small()) cycles = sum(cycles, {1, 1, 1});
  EstimateRange ms = scaled(cycles, 0.001 / w.mhz);
  if (w.plan->small()) {
    const double start =
        constant(w.riscv ? Constant::max78000_start_riscv : Constant::max78000_start_arm) / 1000.0;
    ms = sum(ms, {start * 0.9, start, start * 1.1});
  }
  return ms;
}

void add_latency(const Work& w, Estimate& e) {
  EstimateRange ms = layers_ms(w);
  EstimatePhase& input = e.phases.back();
  EstimatePhase inference = {"inference", false, ms, {}, ""};
  if (w.streams) {
    inference.ms = larger(ms, *input.ms);
    input.reason = "runs while the layers compute: the larger of both is the inference";
    ms = *inference.ms;
  } else if (w.fifo) {
    input.reason = "the first layer waits for the whole frame: counted in the latency";
    ms = sum(ms, *input.ms);
  }
  e.latency_ms = ms;
  e.phases.push_back(inference);
  e.phases.push_back({"unload", false, unloading(w), {}, "assumed; outside the latency"});
}

std::string bound_of(const Work& w, const Max78Layer& l) {
  const max78::LayerShape& s = l.shape;
  const int64_t all = max78::layer_cycles(s);
  const int64_t compute = s.passthrough ? s.rows * s.columns * s.passes * s.time_slots
                                        : s.passes * s.out_columns * s.kernels * s.rows;
  const double pixels = w.plan->small() || !w.pipeline ? 0.0
                                                       : constant(Constant::max78002_pixel) *
                                                             static_cast<double>(l.out_pixels);
  const double most = std::max(static_cast<double>(compute), static_cast<double>(all - compute));
  if (pixels > most) return "overhead";
  return 2 * compute >= all ? "compute" : "memory";
}

double layer_ms(const Work& w, const Max78Layer& l) {
  if (!w.plan->small()) {
    return max78002_cycles(l, w.pipeline ? constant(Constant::max78002_pixel) : 0.0) * 0.001 /
           w.mhz;
  }
  const double factor = l.streaming ? constant(Constant::max78000_streaming) : 1.0;
  return factor * static_cast<double>(max78::layer_cycles(l.shape)) * 0.001 / w.mhz;
}

std::string output_text(const max78::LayerPlan& l) {
  return std::to_string(l.out_channels) + "x" + std::to_string(l.out_dim.h) + "x" +
         std::to_string(l.out_dim.w);
}

std::string operator_text(const max78::LayerPlan& l) {
  std::string text(ai8x::name(l.op));
  if (l.depthwise()) text += ", depthwise";
  if (l.streaming) text += ", streams";
  return text;
}

void add_layers(const Work& w, Estimate& e) {
  const max78::Statistics costs = max78::statistics(*w.plan);
  double all = 0.0;
  for (const Max78Layer& l : w.layers) all += layer_ms(w, l);
  for (size_t i = 0; i < w.layers.size(); ++i) {
    const Max78Layer& l = w.layers[i];
    const max78::LayerPlan& p = w.plan->layer(w.order[i]);
    EstimateLayer row;
    row.index = w.order[i];
    row.name = p.yaml->name.empty() ? "layer " + std::to_string(row.index) : p.yaml->name;
    row.op = operator_text(p);
    row.output = output_text(p);
    row.macs = costs.layers[i].operations.macc;
    // Of layers that stream the vendor's number, half as much again; the time has 1.20.
    row.cycles = w.plan->small() ? costs.layers[i].cycles : max78::layer_cycles(l.shape);
    row.ms = layer_ms(w, l);
    row.share = all > 0.0 ? row.ms / all : 0.0;
    row.bound = bound_of(w, l);
    row.features = {{"output_pixels", static_cast<double>(l.out_pixels)},
                    {"kernel_reads", static_cast<double>(l.kernel_reads)},
                    {"passes", static_cast<double>(l.shape.passes)},
                    {"kernels", static_cast<double>(l.shape.kernels)}};
    if (l.streaming) {
      row.features.push_back(
          {"cycles_without_factor", static_cast<double>(max78::layer_cycles(l.shape))});
    }
    e.layers.push_back(std::move(row));
  }
  e.start_cycles = costs.start_cycles;
  e.outside = "start, interrupt, input";
  e.outside_ms = std::max(0.0, e.latency_ms->mid - all);
}

EstimateBasis basis_of(const Work& w) {
  if (!w.plan->small()) {
    if (!w.pipeline) {
      return {"assumed", "max78002-no-pipeline", 0, 0, 0, "formula of the MAX78000 at this clock"};
    }
    return {"fitted", "max78002-2", 9, 1.0, 6.7, "AN7664 table 4"};
  }
  if (w.streams) return {"fitted", "max78000-streaming", 1, 0.1, 2.7, "SDK example cats-dogs"};
  if (w.fifo) {
    return {"assumed", "max78000-fifo", 0, 0, 0, "exact cycles, and loading time of the MAX78002"};
  }
  return {"formula", "max78000-1", 3, 0.05, 0.2, "exact cycles; SDK examples for clock and start"};
}

}  // namespace

void add_time(const Work& w, Estimate& e) {
  add_loading(w, e);
  add_latency(w, e);
  add_layers(w, e);
  e.basis = basis_of(w);
}

}  // namespace edgetwin::estimates::max78parts
