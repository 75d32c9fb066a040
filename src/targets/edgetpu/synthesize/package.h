// A compiled model around programs that no compiler has made.
#pragma once

#include <string>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/synthesize/model.h"

namespace edgetwin::edgetpu {

// Names and scale of the buffers that the host sees.
struct HostBuffers {
  std::string input = "input", output = "output";
  float input_scale = 1.0F;
};

// The two executables, with layers, transfers and tile layout. `parameters` may be empty: then the
// caching executable has none to load.
darwinn::Package package_of(const Member& member, const HostBuffers& buffers, Bytes parameters);

// A .tflite file with one edgetpu-custom-op in place of the graph's operators. It was read again
// and has passed every check of inspect/check.h. Errors: darwinn_*, tflite_write, edgetpu_*.
Result<Bytes> compiled_model(const Graph& graph, const Source& source);

}  // namespace edgetwin::edgetpu
