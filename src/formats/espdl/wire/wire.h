// Places and sizes in the headers, shared by reader, writer and dump. Source:
// docs/formats/espdl.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/espdl/wire/key.h"

namespace edgetwin::espdl {

inline constexpr size_t kMagicSize = 4;
inline constexpr size_t kModelAlignment = 16;  // of models in PDL2 and PDL3, and of raw_data
inline constexpr size_t kPackageTextSize = 16;
inline constexpr size_t kDigestOffset = 24;
inline constexpr size_t kDigestSize = 32;
inline constexpr size_t kEntrySize = 12;
inline constexpr size_t kMaxNameSize = 4096;
inline constexpr size_t kMaxModels = 1024;

// Magic, encryption mode, length; EDL2 has four bytes more so that the payload begins at 16.
inline constexpr size_t model_header_size(int edl_version) { return edl_version == 1 ? 12 : 16; }
inline constexpr size_t package_header_size(int package_version) {
  return package_version == 3 ? 60 : 8;
}
inline constexpr int edl_version_of_package(int package_version) {
  return package_version == 1 ? 1 : 2;
}

// "EDL1" and so on: the letter is E or P.
struct Magic {
  char letter = 0;
  int version = 0;  // 0: none of the five
};
Magic magic_of(ByteSpan data);

// The digest of PDL3 as 64 hexadecimal digits: over the package with the digest's own bytes zero.
// `package` is at least a header long.
std::string package_digest(ByteSpan package);

// Two lower-case digits per byte.
std::string hex(ByteSpan data);

// What is wrong with a model's name in a package; "" if nothing. It may be used as a file name.
std::string_view name_problem(std::string_view name);

// AES-128 in counter mode from the counter 10 11 … 1f; encrypts and decrypts.
Result<Bytes> apply_key(ByteSpan payload, const Key& key);

}  // namespace edgetwin::espdl
