// The reader over the format's message classes, a module: only ONNX files need their library.
#pragma once

#include "base/modules/modules.h"
#include "formats/onnx/document/document.h"

namespace edgetwin::onnx {

using ReadMessages = Result<Document>(ByteSpan data, const std::string& file,
                                      const ExternalFiles& external);

}  // namespace edgetwin::onnx

EDGETWIN_MODULE_OFFERS(edgetwin::onnx::ReadMessages*, edgetwin_onnx_messages);
