#include "quantize/calibration/noise.h"

#include <cmath>

namespace edgetwin::quantize {

double decibels(double noise_to_signal) {
  return noise_to_signal > 0.0 ? -10.0 * std::log10(noise_to_signal) : INFINITY;
}

}  // namespace edgetwin::quantize
