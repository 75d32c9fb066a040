// What the machine noticed: one entry for each cause.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/rule.h"
#include "targets/max78/machine/state/events.h"

namespace edgetwin::max78 {

class FindingList {
 public:
  // `text` is asked for only the first time.
  void add(MachineEvent event, int layer, int other, uint32_t address, uint64_t step,
           const std::function<std::string()>& text);
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
  std::map<std::tuple<MachineEvent, int, int>, size_t> index_;
};

// "layer 3", "the processor", "the FIFO", "nobody".
std::string actor_name(int actor);
std::string hex_text(uint32_t value);  // 0x and eight digits

const RuleInfo& info(MachineEvent event);
RuleTable all_events();

}  // namespace edgetwin::max78
