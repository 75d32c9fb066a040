#include "base/modules/modules.h"
#include "formats/onnx/document/document.h"
#include "formats/onnx/document/messages.h"

namespace edgetwin::onnx {

Result<Document> read_document(ByteSpan data, const std::string& file,
                               const ExternalFiles& external) {
  EDGETWIN_TRY_ASSIGN(ReadMessages* const read,
                      EDGETWIN_MODULE_FUNCTION("onnx", edgetwin_onnx_messages));
  return read(data, file, external);
}

}  // namespace edgetwin::onnx
