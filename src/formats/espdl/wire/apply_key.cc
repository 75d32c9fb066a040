#include "base/modules/modules.h"
#include "formats/espdl/wire/cipher.h"
#include "formats/espdl/wire/wire.h"

namespace edgetwin::espdl {

Result<Bytes> apply_key(ByteSpan payload, const Key& key) {
  EDGETWIN_TRY_ASSIGN(Cipher* const cipher,
                      EDGETWIN_MODULE_FUNCTION("cipher", edgetwin_espdl_cipher));
  return cipher(payload, key);
}

}  // namespace edgetwin::espdl
