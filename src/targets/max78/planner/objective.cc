// Names of objectives.
#include <array>

#include "targets/max78/planner/planner.h"

namespace edgetwin::max78 {
namespace {

struct ObjectiveName {
  Objective objective;
  std::string_view name;
};
constexpr std::array<ObjectiveName, 3> kObjectives = {{{Objective::latency, "latency"},
                                                       {Objective::energy, "energy"},
                                                       {Objective::memory, "memory"}}};

}  // namespace

std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for (const ObjectiveName& o : kObjectives) names.emplace_back(o.name);
  return names;
}

std::optional<Objective> objective_by_name(std::string_view name) {
  for (const ObjectiveName& o : kObjectives) {
    if (o.name == name) return o.objective;
  }
  return std::nullopt;
}

std::string_view name(Objective objective) {
  for (const ObjectiveName& o : kObjectives) {
    if (o.objective == objective) return o.name;
  }
  return "";
}

}  // namespace edgetwin::max78
