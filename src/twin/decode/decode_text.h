// Decoded outputs as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/decode.h"
#include "report/json.h"

namespace edgetwin::twin {

// "detections", "people", "segments" or "classes": the member of documents, and with ".json" the
// file beside the outputs.
std::string member_of(const Decoded& decoded);
// The lines that a picture of classes gets.
std::vector<std::string> class_lines(const Decoded& decoded);
report::Json to_json(const Decoded& decoded);
std::string to_text(const Decoded& decoded);

}  // namespace edgetwin::twin
