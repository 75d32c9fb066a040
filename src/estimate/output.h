// An estimate as JSON, as text and as a picture.
#pragma once

#include <string>

#include "base/json/json.h"
#include "edgetwin/estimate.h"
#include "plot/drawing.h"

namespace edgetwin::estimates {

// Ranges have three digits; of a formula without fitted numbers four.
Json to_json(const Estimate& estimate);
Json range_json(const EstimateRange& range, int digits);
Json memory_json(const EstimateMemory& memory);
std::string to_text(const Estimate& estimate, bool layers);
// "3.85 ms (3.70 to 4.00)"; "not known: reason".
std::string latency_text(const Estimate& estimate);
// A section of a page: latency, phases and layers as bars with their range as whiskers.
std::string section_html(const Estimate& estimate);
// Tensors over time; no rectangles where nothing has its place.
plot::Drawing placement_picture(const Estimate& estimate);

}  // namespace edgetwin::estimates
