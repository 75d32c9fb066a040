// Which runs of a network's operators become programs.
#pragma once

#include "targets/edgetpu/compile/compile.h"

namespace edgetwin::edgetpu::compiler {

// `before`: what programs have that share the memory of parameters, in set number `set`.
Partition partition_beside(const Graph& graph, Style style, const Occupied& before, size_t set);

}  // namespace edgetwin::edgetpu::compiler
