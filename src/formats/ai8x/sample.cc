#include "formats/ai8x/sample.h"

#include <algorithm>

#include "formats/ai8x/parameter_parts.h"
#include "tensor/npy.h"

namespace edgetwin::ai8x {

Result<Tensor> read_sample(ByteSpan npy, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Tensor array, read_npy(npy, file));
  return to_sample(array, file);
}

Result<Tensor> to_sample(const Tensor& array, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    return Error(ErrorCode::ai8x_sample, what)
        .in_file(file)
        .detail("the array is " + std::string(name(array.dtype)) + " of the shape " +
                to_string(array.shape));
  };
  const int rank = array.shape.rank();
  if (rank < 1 || rank > 3) return refuse("a sample has 1, 2 or 3 dimensions");
  if (array.shape.elements() == 0) return refuse("the sample is empty");
  const Whole values = to_whole(array);
  if (values.outside || values.fractions) return refuse("the sample is not of whole numbers");
  if (values.low < -128 || values.high > 127) {
    return refuse("the sample's values are " + std::to_string(values.low) + " to " +
                  std::to_string(values.high) + ", allowed are -128 to 127");
  }
  Tensor out;
  out.dtype = DType::int8;
  for (int axis = 0; axis < 3; ++axis) out.shape.push_back(axis < rank ? array.shape[axis] : 1);
  out.data.resize(values.values.size());
  std::transform(values.values.begin(), values.values.end(), out.as<int8_t>().begin(),
                 [](int32_t v) { return static_cast<int8_t>(v); });
  return out;
}

}  // namespace edgetwin::ai8x
