// Rows of decibels as a picture and as characters: frequency to the right, time downwards.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::signals {

using DecibelRows = std::vector<std::vector<float>>;

// What is dark and what is bright.
struct DecibelRange {
  double low = -100.0, high = 0.0;
};
// From the row values that a twentieth of all lines stay below to the largest; at least 20 dB.
DecibelRange range_of(const DecibelRows& rows);

// A pixel a value, black over blue and yellow to white. Rows have one length. Error: image_decode
// where there are none, or more than a PNG of encode_png may have.
Result<Bytes> waterfall_png(const DecibelRows& rows, const DecibelRange& range);

// One row in `width` characters, darkest ' '; each stands for the largest of its values.
std::string waterfall_line(const std::vector<float>& row, size_t width, const DecibelRange& range);

}  // namespace edgetwin::signals
