#include "c/handles.h"
#include "c/tensor_info.h"

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_samples_create(edgetwin_samples** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_samples>> {
    return std::make_unique<edgetwin_samples>();
  });
}

EDGETWIN_EXPORT int32_t edgetwin_samples_add(edgetwin_samples* samples, const char* input,
                                             int32_t dtype, const int32_t* shape, int32_t rank,
                                             const void* data, size_t bytes,
                                             edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(samples, "the samples are NULL or were freed"));
    EDGETWIN_TRY(require(data != nullptr || bytes == 0, "the data are NULL"));
    EDGETWIN_TRY(require(rank >= 0 && rank < Shape::kMaxRank && (shape != nullptr || rank == 0),
                         "the shape is NULL or has too many sizes"));
    const auto type = dtype_of_number(dtype);
    EDGETWIN_TRY(require(type && byte_size(*type) != 0, "the element type is unknown"));
    Tensor t;
    t.dtype = *type;
    for (int32_t d = 0; d < rank; ++d) t.shape.push_back(shape[d]);
    if (!t.shape.is_static() || !within_limits(*type, t.shape) ||
        static_cast<size_t>(storage_bytes(*type, t.shape.elements())) != bytes) {
      return Error(ErrorCode::input_shape, "a sample of " + to_string(t.shape) + " " +
                                               std::string(name(*type)) + " does not have " +
                                               std::to_string(bytes) + " bytes");
    }
    const auto* from = static_cast<const std::byte*>(data);
    t.data.assign(from, from + bytes);
    const std::string key = input == nullptr ? "" : input;
    auto& list = samples->tensors[key];
    if (list.empty()) samples->names.push_back(key);
    if (!list.empty() && (!(list.front().shape == t.shape) || list.front().dtype != t.dtype)) {
      return Error(ErrorCode::input_shape, "samples of one input have one shape and type: " +
                                               to_string(list.front().shape) + " and " +
                                               to_string(t.shape));
    }
    list.push_back(std::move(t));
    return Ok{};
  });
}

EDGETWIN_EXPORT void edgetwin_samples_free(edgetwin_samples* samples) { take_back(samples); }

}  // extern "C"
