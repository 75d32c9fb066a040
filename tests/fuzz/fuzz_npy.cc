// Any bytes as .npy and as .npz: tensors or an error. Tensors can be written and come back.
#include <algorithm>
#include <cstdlib>

#include "tensor/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  if (const auto tensor = read_npy(bytes, "fuzz"); tensor.ok()) {
    const auto written = write_npy(*tensor);
    if (!written.ok()) std::abort();
    const auto again = read_npy(*written, "again");
    if (!again.ok() || again->data != tensor->data || !(again->shape == tensor->shape))
      std::abort();
  }
  if (const auto tensors = read_npz(bytes, "fuzz"); tensors.ok()) {
    for (const Tensor& tensor : *tensors) {
      if (!write_npy(tensor).ok()) std::abort();
    }
  }
  return 0;
}
