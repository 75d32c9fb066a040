// Reads .espdl files: single models and packages, plain and encrypted. docs/formats/espdl.md has
// the bytes, the limits and what is refused.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/wire/key.h"

namespace edgetwin::espdl {

// By the first four bytes: EDL1, EDL2, PDL1, PDL2 or PDL3. Says nothing about the rest.
bool looks_like_espdl(ByteSpan data);

// The whole file. `file` is used in errors only. A key is used for the models that are encrypted
// and ignored for others. What is strange but does no harm becomes a finding of the model or the
// package. Errors: espdl_*, truncated, bad_value, file_too_large, out_of_memory.
Result<Container> read(ByteSpan data, const std::string& file, std::optional<Key> key = {});

}  // namespace edgetwin::espdl
