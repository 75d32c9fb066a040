#include "signals/keywords/waveform.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::signals {

bool is_waveform(const Shape& shape) {
  const bool flat = shape.rank() == 2 || (shape.rank() == 3 && shape[2] == 1);
  return flat && shape[0] == kWaveformChannels && shape[1] == kWaveformChannels;
}

void fill_waveform(std::span<const float> samples, Tensor& to) {
  const auto numbers = to.as<int8_t>();
  constexpr auto kChannels = static_cast<size_t>(kWaveformChannels);
  for (size_t i = 0; i < kWaveformSamples; ++i) {
    const double v = i < samples.size() ? static_cast<double>(samples[i]) : 0.0;
    const double byte = std::clamp(std::nearbyint((v + 1.0) * 128.0), 0.0, 255.0);
    numbers[i % kChannels * kChannels + i / kChannels] = static_cast<int8_t>(byte - 128.0);
  }
}

}  // namespace edgetwin::signals
