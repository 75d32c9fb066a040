// What compiled and uncompiled networks share.
#pragma once

#include "estimate/edgetpu/edgetpu.h"

namespace edgetwin::estimates::tpuparts {

struct Work {
  const TpuHost* host = nullptr;
  double mhz = 0;
  TpuCounts counts;
  bool compiled = false;
  std::vector<std::string> host_operators;
};

// Host and clock. Errors: usage.
Result<Work> begin(const TpuWishes& wishes);
// All but the layers, whose iterations e.layers has.
void finish(const Work& work, const TpuWishes& wishes, Estimate& e);

}  // namespace edgetwin::estimates::tpuparts
