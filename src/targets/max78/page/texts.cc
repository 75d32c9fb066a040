#include "targets/max78/page/texts.h"

#include <cmath>

#include "report/format.h"
#include "targets/max78/analysis/clock.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/analysis/statistics.h"

namespace edgetwin::max78 {
namespace {

using report::Json;

std::string processors_text(uint64_t map) {
  constexpr int kDigits = 16;
  std::string text;
  for (int i = kDigits - 1; i >= 0; --i) text += "0123456789abcdef"[(map >> (4 * i)) & 15U];
  return text;
}

double milliseconds(const AcceleratorClock& clock, int64_t cycles) {
  return static_cast<double>(cycles) / (1000.0 * clock.running_mhz());
}

// "1.403 ms", "28.1 µs": three digits.
std::string duration_text(double ms) {
  const bool short_one = ms < 1;
  const double value = short_one ? 1000 * ms : ms;
  return report::fixed_text(value, value < 10    ? 2
                                   : value < 100 ? 1
                                                 : 0) +
         (short_one ? " µs" : " ms");
}

// Every layer's time, and that of all; the law is known of the MAX78000 only.
std::string time_text(const Plan& plan, const Statistics& s) {
  if (s.cycles <= 0) {
    return "time        not known: no law of the cycles of a " +
           std::string(name(plan.chip->device)) + " is published\n";
  }
  const AcceleratorClock clock = accelerator_clock(*plan.chip, plan.options);
  report::TextTable table({{"layer", report::TextTable::Align::right},
                           {"name"},
                           {"operations", report::TextTable::Align::right},
                           {"cycles", report::TextTable::Align::right},
                           {"time", report::TextTable::Align::right},
                           {""}});
  for (const LayerStatistics& l : s.layers) {
    table.add({std::to_string(l.layer), plan.layer(l.layer).yaml->name,
               report::count_text(l.operations.all()), report::count_text(l.cycles),
               duration_text(milliseconds(clock, l.cycles)),
               l.estimated ? "streams: less certain" : ""});
  }
  const double mhz = clock.running_mhz();
  return "time        " + report::count_text(s.cycles) + " cycles, " +
         duration_text(milliseconds(clock, s.cycles)) + " at " +
         report::fixed_text(mhz, mhz == std::floor(mhz) ? 0 : 2) +
         " MHz, an estimate without loading of input and kernels\n" + table.text(2);
}

}  // namespace

std::string statistics_text(const Plan& plan) {
  const Statistics s = statistics(plan);
  return "operations  " + report::count_text(s.operations.all()) + ", of them " +
         report::count_text(s.operations.macc) + " multiply-accumulates\nkernels     " +
         report::count_text(s.weight_bytes) + " of " + report::count_text(s.weight_bytes_total) +
         " bytes\nbiases      " + report::count_text(s.bias_bytes) + " of " +
         report::count_text(s.bias_bytes_total) + " bytes\n" + time_text(plan, s);
}

Json statistics_json(const Plan& plan) {
  const Statistics s = statistics(plan);
  const AcceleratorClock clock = accelerator_clock(*plan.chip, plan.options);
  Json layers = Json::array();
  for (const LayerStatistics& l : s.layers) {
    Json j = Json::object();
    j.set("layer", l.layer).set("name", plan.layer(l.layer).yaml->name);
    j.set("operations", l.operations.all()).set("macc", l.operations.macc);
    if (s.cycles > 0) {
      j.set("cycles", l.cycles).set("ms", milliseconds(clock, l.cycles));
      j.set("less_certain", l.estimated);
    }
    layers.push(std::move(j));
  }
  Json j = Json::object();
  j.set("operations", s.operations.all()).set("macc", s.operations.macc);
  j.set("kernel_bytes", s.weight_bytes).set("kernel_bytes_of_chip", s.weight_bytes_total);
  j.set("bias_bytes", s.bias_bytes).set("bias_bytes_of_chip", s.bias_bytes_total);
  j.set("clock_mhz", clock.running_mhz());
  j.set("cycles", s.cycles > 0 ? Json(s.cycles) : Json());
  j.set("ms", s.cycles > 0 ? Json(milliseconds(clock, s.cycles)) : Json());
  return std::move(j.set("layers", std::move(layers)));
}

double estimated_ms(const Plan& plan) {
  const Statistics s = statistics(plan);
  return s.cycles > 0 ? milliseconds(accelerator_clock(*plan.chip, plan.options), s.cycles) : 0.0;
}

std::string offset_text(int64_t bytes) {
  std::string text;
  for (int i = bytes > 0xffff ? 4 : 3; i >= 0; --i) {
    text += "0123456789abcdef"[(bytes >> (4 * i)) & 15];
  }
  return "0x" + text;
}

std::string operator_text(const HardwareLayer& l) {
  const auto size = [](Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); };
  std::string op(ai8x::name(l.op));
  if (!l.passthrough()) op += " " + size(l.kernel);
  if (l.eltwise()) op = std::string(ai8x::name(l.yaml->eltwise)) + ", " + op;
  if (l.pools()) {
    op = std::string(ai8x::name(l.yaml->pooling)) + " pool " + size(l.pool) + ", " + op;
  }
  return op;
}

std::string sizes_text(const Planning& planning) {
  const auto size = [](Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); };
  report::TextTable table(
      {{"layer", report::TextTable::Align::right}, {"name"}, {"operator"}, {"input"}, {"output"}});
  for (const int i : planning.hardware->order) {
    const HardwareLayer& l = planning.hardware->layer(i);
    table.add({std::to_string(i), l.yaml->name, operator_text(l),
               std::to_string(l.in_channels) + "x" + size(l.in_dim),
               std::to_string(l.out_channels) + "x" + size(l.out_dim)});
  }
  return table.text();
}

Json memory_json(const Planning& planning) {
  Json layers = Json::array();
  for (const LayerPlace& p : layer_places(planning)) {
    Json j = Json::object();
    j.set("layer", p.layer).set("input_processors", processors_text(p.in_map));
    j.set("input_begin", p.in_begin).set("input_end", p.in_end);
    j.set("output_processors", processors_text(p.out_map));
    j.set("output_begin", p.out_begin).set("output_end", p.out_end);
    j.set("kernel_begin", p.kernel_begin).set("kernel_end", p.kernel_end);
    layers.push(std::move(j));
  }
  Json harmful = Json::array();
  const auto regions = data_regions(planning);
  for (const Overlap& o : overlaps(regions)) {
    if (!o.harmful) continue;
    Json j = Json::object();
    j.set("begin", o.begin).set("end", o.end);
    j.set("memories", instances_text(o.instances));
    j.set("text", overlap_text(planning, regions, o));
    harmful.push(std::move(j));
  }
  Json all = Json::object();
  all.set("layers", std::move(layers)).set("written_over", std::move(harmful));
  return all;
}

}  // namespace edgetwin::max78
