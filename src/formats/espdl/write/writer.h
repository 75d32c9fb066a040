// The parts of the writer.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "formats/espdl/document/document.h"

namespace edgetwin::espdl {

// write_model.cc: the FlatBuffer of one model; a multiple of 16 bytes if it has any elements.
Result<Bytes> write_document(const Document& document);

}  // namespace edgetwin::espdl
