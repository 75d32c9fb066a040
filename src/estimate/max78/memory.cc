// Kernel, data and bias memory; every place is the plan's.
#include <algorithm>
#include <array>

#include "estimate/max78/parts.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/analysis/statistics.h"

namespace edgetwin::estimates::max78parts {
namespace {

int last_step(const max78::DataRegion& r) { return std::max(r.written, r.read) + 1; }

EstimateRegion data_region(const Work& w, const std::vector<max78::DataRegion>& regions) {
  const int64_t have = w.plan->chip->instance_bytes();
  EstimateRegion data = {"data memory, fullest instance", 0, have, {}};
  std::array<int64_t, 16> end{};
  for (const max78::DataRegion& r : regions) {
    for (size_t i = 0; i < end.size(); ++i) {
      if (((r.instances() >> i) & 1U) != 0) end[i] = std::max(end[i], r.end);
    }
  }
  data.need = *std::max_element(end.begin(), end.end());
  data.parts.push_back({"highest byte that a layer or the input uses", data.need});
  return data;
}

}  // namespace

void add_memory(const Work& w, Estimate& e) {
  const max78::Statistics s = max78::statistics(*w.plan);
  const auto regions = max78::data_regions(*w.planning);
  EstimateMemory& m = e.memory;
  m.verdict = "fits";
  m.reason = "every layer has its place";
  m.regions.push_back(
      {"kernel memory", s.weight_bytes, s.weight_bytes_total, {{"weights", s.weight_bytes}}});
  m.regions.push_back(data_region(w, regions));
  m.regions.push_back(
      {"bias memory", s.bias_bytes, s.bias_bytes_total, {{"biases", s.bias_bytes}}});
  for (const max78::DataRegion& r : regions) {
    m.placement.push_back({max78::region_name(r),
                           "data memories " + max78::instances_text(r.instances()),
                           r.begin,
                           r.end - r.begin,
                           std::max(0, r.written),
                           last_step(r),
                           {}});
  }
}

}  // namespace edgetwin::estimates::max78parts
