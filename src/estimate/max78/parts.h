// What the parts of the estimate for the MAX78000 and MAX78002 share.
#pragma once

#include <vector>

#include "estimate/max78/max78.h"

namespace edgetwin::estimates::max78parts {

// The network, what is asked, and what was decided.
struct Work {
  const max78::Planning* planning = nullptr;
  const max78::Plan* plan = nullptr;
  bool fifo = false, riscv = false, streams = false, pipeline = false;
  double mhz = 0;
  std::vector<int> order;  // numbers of layers, ascending
  std::vector<Max78Layer> layers;
};

void add_time(const Work& work, Estimate& e);    // phases, latency, layers, basis
void add_energy(const Work& work, Estimate& e);  // of the phases and of all
void add_memory(const Work& work, Estimate& e);
void add_hints(const Work& work, Estimate& e);

}  // namespace edgetwin::estimates::max78parts
