#include "train/tune/parameters.h"

#include "train/rules/rules.h"

namespace edgetwin::train {

ParameterSet parameters_of(const TunedNetwork& network) {
  ParameterSet all;
  for (const auto& p : network.parameters()) all[p.name] = p.numbers;
  return all;
}

Status put_parameters(const ParameterSet& from, TunedNetwork& network) {
  for (auto& p : network.parameters()) {
    const auto found = from.find(p.name);
    if (found == from.end() || found->second.size() != p.numbers.size()) {
      return broken(Rule::checkpoint_shape, "the checkpoint is of another network: it lacks '" +
                                                p.name + "' with " +
                                                std::to_string(p.numbers.size()) + " numbers");
    }
    p.numbers = found->second;
  }
  network.refresh();
  return Ok{};
}

}  // namespace edgetwin::train
