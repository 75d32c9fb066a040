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
// "7", or "7 (seven)" where classes have names.
std::string class_text(const ComparedNetwork& network, int64_t label);
std::string range_cell(const std::optional<EstimateRange>& range);
// How many samples are decided differently, and the first of them; empty where nothing was counted.
std::string parted_text(const ComparedNetwork& network);
Json to_json(const std::vector<ComparedNetwork>& networks);

// SVG. Signal over noise by layer, a line for each chip; empty where nothing was measured.
std::string noise_chart(const ComparedNetwork& network);
// Points of time (or energy) and right answers, or signal over noise where nothing was counted, of
// all networks and chips; a ring around those that no other point beats in both.
std::string pareto_chart(const std::vector<ComparedNetwork>& networks, bool energy);

}  // namespace edgetwin::twin
