#include "targets/max78/page/texts.h"

#include "report/format.h"
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

}  // namespace

std::string statistics_text(const Plan& plan) {
  const Statistics s = statistics(plan);
  std::string text = "operations  " + report::count_text(s.operations.all()) + ", of them " +
                     report::count_text(s.operations.macc) + " multiply-accumulates\n" +
                     "kernels     " + report::count_text(s.weight_bytes) + " of " +
                     report::count_text(s.weight_bytes_total) + " bytes\nbiases      " +
                     report::count_text(s.bias_bytes) + " of " +
                     report::count_text(s.bias_bytes_total) + " bytes\n";
  if (s.cycles > 0)
    text += "time        " + report::count_text(s.cycles) + " cycles, an estimate\n";
  return text;
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
