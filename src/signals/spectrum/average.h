// Powers of several transforms averaged, in decibels.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "signals/spectrum/window.h"

namespace edgetwin::signals {

// Below all that numbers of these chips can tell apart; a power of 0 is said as this.
inline constexpr double kLeastDecibels = -200.0;

class PowerAverage {
 public:
  PowerAverage(size_t size, Window window);

  // A spectrum of `size` numbers in the order of the transform, frequency 0 first.
  void add(std::span<const std::complex<float>> spectrum);
  int count() const { return count_; }
  // Of the average so far, lowest (negative) frequency first; 0 is the line of a tone of modulus 1
  // in the middle of a line, whatever the window. Begins anew.
  std::vector<float> take_decibels();

 private:
  std::vector<double> power_;
  double full_scale_ = 1.0;
  int count_ = 0;
};

// The frequency of place `index` of a row of decibels, in units of the sample rate: -1/2 to 1/2.
double frequency_of(size_t index, size_t size);

}  // namespace edgetwin::signals
