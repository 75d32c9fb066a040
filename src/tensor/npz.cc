#include "base/modules/modules.h"
#include "tensor/npy.h"
#include "tensor/zip.h"

namespace edgetwin {

Result<std::vector<Tensor>> read_npz(ByteSpan data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(ReadArchive* const read, EDGETWIN_MODULE_FUNCTION("npz", edgetwin_read_npz));
  return read(data, file);
}

Result<Bytes> write_npz(const std::vector<Tensor>& tensors) {
  EDGETWIN_TRY_ASSIGN(WriteArchive* const write,
                      EDGETWIN_MODULE_FUNCTION("npz", edgetwin_write_npz));
  return write(tensors);
}

}  // namespace edgetwin
