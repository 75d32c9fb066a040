#include "signals/spectrum/waterfall.h"

#include <algorithm>
#include <cmath>

#include "image/image.h"

namespace edgetwin::signals {
namespace {

double brightness(float decibels, const DecibelRange& range) {
  return std::clamp((static_cast<double>(decibels) - range.low) / (range.high - range.low), 0.0,
                    1.0);
}

// Colours at equal distances, between which others lie on straight lines.
void paint(double brightness_of_pixel, uint8_t* pixel) {
  constexpr double kColors[][3] = {
      {0, 0, 0}, {20, 30, 130}, {30, 140, 190}, {250, 220, 60}, {255, 255, 255}};
  const double place = brightness_of_pixel * 4.0;
  const int from = std::min(static_cast<int>(place), 3);
  for (int c = 0; c < 3; ++c) {
    const double low = kColors[from][c], high = kColors[from + 1][c];
    pixel[c] = static_cast<uint8_t>(std::nearbyint(low + (high - low) * (place - from)));
  }
}

}  // namespace

DecibelRange range_of(const DecibelRows& rows) {
  std::vector<float> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  if (all.empty()) return {};
  const auto twentieth = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 20);
  std::nth_element(all.begin(), twentieth, all.end());
  const double low = *twentieth, high = *std::max_element(all.begin(), all.end());
  return {low, std::max(high, low + 20.0)};
}

Result<Bytes> waterfall_png(const DecibelRows& rows, const DecibelRange& range) {
  if (rows.empty()) {
    return Error(ErrorCode::image_decode, "there are no rows for a picture")
        .with_hint("Give more samples, or average over fewer transforms.");
  }
  const auto height = static_cast<int64_t>(rows.size()),
             width = static_cast<int64_t>(rows[0].size());
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, {height, width, 3}));
  uint8_t* pixel = picture.as<uint8_t>().data();
  for (const auto& row : rows) {
    for (const float value : row) {
      paint(brightness(value, range), pixel);
      pixel += 3;
    }
  }
  return encode_png(picture);
}

std::string waterfall_line(const std::vector<float>& row, size_t width, const DecibelRange& range) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  std::string line;
  const size_t columns = std::min(width, row.size());
  for (size_t i = 0; i < columns; ++i) {
    const auto from = row.begin() + static_cast<std::ptrdiff_t>(i * row.size() / columns);
    const auto to = row.begin() + static_cast<std::ptrdiff_t>((i + 1) * row.size() / columns);
    const double shade = brightness(*std::max_element(from, to), range) * 9.0;
    line += kShades[static_cast<size_t>(std::nearbyint(shade))];
  }
  return line;
}

}  // namespace edgetwin::signals
