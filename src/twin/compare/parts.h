// What text, JSON and page of a comparison of chips share.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "edgetwin/compare_chips.h"

namespace edgetwin::twin {

// Signal over noise in decibels; "" where it was not measured.
std::string decibels_text(const std::optional<double>& noise);
double decibels(double noise);
std::string verdict_word(const ComparedChip& chip);  // fits, tight, no
// "99.5 (97.2 to 99.9)", in percent.
std::string accuracy_text(const std::optional<ChipAccuracy>& a);
std::string range_cell(const std::optional<EstimateRange>& range);
Json to_json(const std::vector<ComparedNetwork>& networks);

// SVG. Signal over noise by layer, a line for each chip; empty where nothing was measured.
std::string noise_chart(const ComparedNetwork& network);
// Points of time and signal over noise of all networks and chips.
std::string pareto_chart(const std::vector<ComparedNetwork>& networks, bool energy);

}  // namespace edgetwin::twin
