// AES-128-CTR of OpenSSL, a module: few models are encrypted, and its library is large.
#pragma once

#include "base/bytes.h"
#include "base/modules/modules.h"
#include "base/result.h"
#include "formats/espdl/wire/key.h"

namespace edgetwin::espdl {

using Cipher = Result<Bytes>(ByteSpan payload, const Key& key);

}  // namespace edgetwin::espdl

EDGETWIN_MODULE_OFFERS(edgetwin::espdl::Cipher*, edgetwin_espdl_cipher);
