// The network with the numbers that were uploaded, in place of those of the reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "targets/edgetpu/virtual_device/reference/library.h"

namespace edgetwin::edgetpu {

// What is on the chip of one package: by executable of the package.
using UploadedBlobs = std::vector<ByteSpan>;

struct UploadedGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<std::string> remarks;  // bytes that differ and have no meaning
};

// Equal parameters give the reference itself. Errors: stick_layer where a layer cannot be
// understood.
Result<UploadedGraph> with_uploaded(const KnownModel& model, const UploadedBlobs& blobs);

// A weight scale that gives this multiplier between tensors of these scales; nothing: none does.
std::optional<float> weight_scale_for(float multiplier, float input_scale, float output_scale);

}  // namespace edgetwin::edgetpu
