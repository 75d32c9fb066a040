#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "formats/espdl/wire/cipher.h"

namespace edgetwin::espdl {
namespace {

// The loader's initial counter block.
constexpr std::array<unsigned char, 16> kCounter = {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
                                                    0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f};
constexpr size_t kStep = size_t{1} << 24;  // the library counts in int

Error failed(const char* step) {
  return Error(ErrorCode::device, std::string("the cipher AES-128-CTR of OpenSSL fails: ") + step);
}

Result<Bytes> encrypted(ByteSpan payload, const Key& key) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
      EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  if (context == nullptr) return failed("context");
  if (EVP_EncryptInit_ex(context.get(), EVP_aes_128_ctr(), nullptr,
                         reinterpret_cast<const unsigned char*>(key.data()),
                         kCounter.data()) != 1) {
    return failed("start");
  }
  Bytes result(payload.size());
  for (size_t at = 0; at < payload.size(); at += kStep) {
    const int size = static_cast<int>(std::min(kStep, payload.size() - at));
    int written = 0;
    if (EVP_EncryptUpdate(context.get(), reinterpret_cast<unsigned char*>(result.data() + at),
                          &written, reinterpret_cast<const unsigned char*>(payload.data() + at),
                          size) != 1 ||
        written != size) {
      return failed("update");
    }
  }
  return result;
}

}  // namespace
}  // namespace edgetwin::espdl

edgetwin::espdl::Cipher* const edgetwin_espdl_cipher = edgetwin::espdl::encrypted;
