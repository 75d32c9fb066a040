// The archives of .npz files, a module.
#pragma once

#include <string>
#include <vector>

#include "base/modules/modules.h"
#include "tensor/tensor.h"

namespace edgetwin {

using ReadArchive = Result<std::vector<Tensor>>(ByteSpan data, const std::string& file);
using WriteArchive = Result<Bytes>(const std::vector<Tensor>& tensors);

}  // namespace edgetwin

EDGETWIN_MODULE_OFFERS(edgetwin::ReadArchive*, edgetwin_read_npz);
EDGETWIN_MODULE_OFFERS(edgetwin::WriteArchive*, edgetwin_write_npz);
