// Sound as the key-word networks of the MAX78000 and MAX78002 take it: the waveform itself.
#pragma once

#include <span>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::signals {

inline constexpr size_t kWaveformSamples = 16384;  // of one inference: 1.024 s
inline constexpr double kWaveformRate = 16000.0;   // Hz
inline constexpr int64_t kWaveformChannels = 128;  // of 128 samples each

// [128, 128] or [128, 128, 1]: sample 128 t + c stands at place [c][t].
bool is_waveform(const Shape& shape);

// Real numbers v from -1 to 1, as many as kWaveformSamples or fewer, which zeros follow, become
// clamp(rne((v + 1) * 128), 0, 255) - 128 in `to`, an int8 tensor of that shape. The chip's
// training gives the rule for samples of 16 bits, of which v * 128 is exact.
void fill_waveform(std::span<const float> samples, Tensor& to);

}  // namespace edgetwin::signals
