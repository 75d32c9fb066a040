// Writes .espdl files: single models and packages, plain and encrypted. docs/formats/espdl.md has
// the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/wire/key.h"

namespace edgetwin::espdl {

// The same bytes for the same content. Models are encrypted if they say so, which needs the key.
// Errors: espdl_write, espdl_encrypted.
Result<Bytes> write(const Container& container, std::optional<Key> key = {});

inline constexpr std::string_view kPackageText = "v1.0";

// A package of models that have names, in the order of their names. `package_version` is 1 to 3;
// the models get the header that belongs to it (EDL1 in PDL1, EDL2 in the others). Error:
// espdl_write, if a name is missing, used twice or is not a file name.
Result<Container> pack(std::vector<ModelFile> models, int package_version = 3,
                       std::string version_text = std::string(kPackageText));

}  // namespace edgetwin::espdl
