#include "estimate/hints.h"

#include <algorithm>

#include "estimate/espdl/parts.h"
#include "estimate/numbers.h"
#include "report/format.h"

namespace edgetwin::estimates::espdlparts {
namespace {

constexpr double kWorthSaying = 0.05;
constexpr size_t kMost = 5;

std::string head(const EstimateLayer& l) {
  return "layer " + std::to_string(l.index) + ": " + number_text(100.0 * l.share) +
         " % of the time; ";
}

}  // namespace

void add_hints(const Work& w, Estimate& e) {
  std::vector<const EstimateLayer*> sorted;
  for (const EstimateLayer& l : e.layers) sorted.push_back(&l);
  std::ranges::stable_sort(sorted,
                           [](const auto* a, const auto* b) { return a->share > b->share; });
  for (const EstimateLayer* l : sorted) {
    if (l->share < kWorthSaying || e.hints.size() >= kMost) break;
    const NodeFeatures& n = w.nodes[static_cast<size_t>(l->index)];
    const bool again = n[Feature::S_large] + n[Feature::S_middle] > 0.0;
    const size_t f = static_cast<size_t>(Feature::S_large);
    if (again && w.model.cycles[f] > 0.0) {
      e.hints.push_back(hint(Hint::cache, head(*l) + report::count_text(n.parameter_bytes) +
                                              " bytes of parameters exceed the data cache and are "
                                              "read for each pixel" +
                                              (w.copy ? "" : ", from flash") +
                                              "; fewer channels, or the newer runtime"));
    } else if (l->bound == "memory") {
      e.hints.push_back(hint(Hint::transfers,
                             head(*l) + "it moves more than it computes; activations in internal "
                                        "RAM (--internal), or a smaller map"));
    }
  }
}

}  // namespace edgetwin::estimates::espdlparts
