// Any parameters with any small picture: a tensor of the size that they name, or an error.
#include <cstdlib>
#include <cstring>

#include "image/espdl/preprocess.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  if (size < 4) return 0;
  const int64_t rows = data[0] % 24 + 1;
  const int64_t columns = data[1] % 24 + 1;
  const int64_t bytes = data[2] % 3 + 1;
  Tensor picture = Tensor::zeros(DType::uint8, {rows, columns, bytes}).value();
  for (size_t i = 0; i < picture.data.size(); ++i) {
    picture.data[i] = static_cast<std::byte>(data[(i * 3) % size]);
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto params = espdl_image::read_params(text, "fuzz");
  if (!params.ok()) return to_text(params.error()).empty();
  constexpr int kSide = 256;
  if (params->width.value_or(0) > kSide || params->height.value_or(0) > kSide) return 0;
  const auto made = espdl_image::preprocess(picture, *params);
  if (!made.ok()) return to_text(made.error()).empty();
  const Tensor& t = made->tensor;
  if (t.shape[0] != *params->height || t.shape[1] != *params->width) std::abort();
  if (storage_bytes(t.dtype, t.shape.elements()) != static_cast<int64_t>(t.data.size()))
    std::abort();
  return 0;
}
