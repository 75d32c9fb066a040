// Reading and writing .espdl files: single models and packages, plain and encrypted.
// docs/formats/espdl.md has the bytes, the limits and what is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/espdl/document.h"

namespace edgetwin::espdl {

// The 16 bytes of AES-128.
using Key = std::array<std::byte, 16>;

// By the first four bytes: EDL1, EDL2, PDL1, PDL2 or PDL3. Says nothing about the rest.
bool looks_like_espdl(ByteSpan data);

// 32 hexadecimal digits; or, as the exporter prints a key, 16 numbers like "0x1f" or "1f" between
// commas or blanks, perhaps in brackets. Error: espdl_key.
Result<Key> parse_key(std::string_view text);

// The whole file. `file` is used in errors only. A key is used for the models that are encrypted
// and ignored for others. What is strange but does no harm becomes a finding of the model or the
// package. Errors: espdl_*, truncated, bad_value, file_too_large, out_of_memory.
Result<Container> read(ByteSpan data, const std::string& file, std::optional<Key> key = {});

// The same bytes for the same content. Models are encrypted if they say so, which needs the key.
// Errors: espdl_write, espdl_encrypted.
Result<Bytes> write(const Container& container, std::optional<Key> key = {});

// One model alone in a file; its name is not written.
Container single(ModelFile model);

inline constexpr std::string_view kPackageText = "v1.0";

// A package of models that have names, in the order of their names. `package_version` is 1 to 3;
// the models get the header that belongs to it (EDL1 in PDL1, EDL2 in the others). Error:
// espdl_write, if a name is missing, used twice or no file name.
Result<Container> pack(std::vector<ModelFile> models, int package_version = 3,
                       std::string version_text = std::string(kPackageText));

}  // namespace edgetwin::espdl
