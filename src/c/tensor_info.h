// Element types and rows of tensors in the form of the C interface.
#pragma once

#include <optional>

#include "c/handles.h"

namespace edgetwin::c {

int32_t dtype_number(DType type);  // EDGETWIN_DTYPE_*; NONE: it has none
std::optional<DType> dtype_of_number(int32_t number);

// Writes the fields that the caller knows.
void describe(const TensorRow& row, TensorTexts& texts, edgetwin_tensor_info& info);

}  // namespace edgetwin::c
