// The text files that stand beside an .espdl file, as far as the file itself contains what they
// say. docs/formats/espdl.md, "Companion files", has the form and what is missing.
#pragma once

#include <string>
#include <string_view>

#include "formats/espdl/document/document.h"

namespace edgetwin::espdl {

// <name>.info: properties, graph, and all stored numbers, for people. Control characters are
// printed as \x1b.
std::string info_text(const Document& document);

// <name>.json: what of the quantization can be told from the file: "configs" by operator and
// tensor, "dispatchings" by operator, "values" by tensor. `target` is "c", "esp32s3" or "esp32p4";
// with any other text "dispatchings" is empty, since a file does not say what it is for. Ends in a
// newline.
std::string config_json(const Document& document, std::string_view target);

}  // namespace edgetwin::espdl
