// Time and room on the Edge TPU. Source: specification of estimates 3.
#pragma once

#include "edgetwin/estimate.h"
#include "estimate/constants.h"
#include "estimate/edgetpu/counts.h"
#include "graph/graph.h"

namespace edgetwin::estimates {

struct TpuWishes {
  std::string host;  // usb3, usb2, pcie, rpi4; empty: usb3
  std::optional<double> clock_mhz;
};

struct TpuHost {
  std::string_view name, text;
  Constant start, speed, streamed;
};
// Error: usage with the list.
Result<const TpuHost*> find_host(const std::string& name);

// Milliseconds of an inference, and its parts.
struct TpuTime {
  double start = 0, to_device = 0, compute = 0, back = 0;
  double all() const { return start + to_device + compute + back; }
};
TpuTime tpu_time(const TpuCounts& counts, const TpuHost& host, double mhz);

// `graph`: of the .tflite file that holds the compiled operator; null where there is none.
Result<Estimate> estimate_compiled(const darwinn::File& file, const Graph* graph,
                                   const TpuWishes& wishes);

// A network that is not compiled yet: iterations by layer. The compiler's own program replaces
// counts_of_graph() where there is one. Error: usage for a float network.
Result<TpuCounts> counts_of_graph(const Graph& graph, std::vector<EstimateLayer>& layers,
                                  std::vector<std::string>& host_operators);
Result<Estimate> estimate_uncompiled(const Graph& graph, const TpuWishes& wishes);

}  // namespace edgetwin::estimates
