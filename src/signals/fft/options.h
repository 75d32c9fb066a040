// What a Fourier transform as a network is made from. docs/signals.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace edgetwin::signals {

enum class FftForm : uint8_t {
#define FFT_FORM(name, text) name,
#define FFT_SCALING(name, text)
#define FFT_NUMBER(name, text)
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};

enum class FftScaling : uint8_t {
#define FFT_FORM(name, text)
#define FFT_SCALING(name, text) name,
#define FFT_NUMBER(name, text)
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};

enum class FftNumber : uint8_t {
#define FFT_FORM(name, text)
#define FFT_SCALING(name, text)
#define FFT_NUMBER(name, text) name,
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};

std::string_view name(FftForm form);
std::string_view name(FftScaling scaling);
std::string_view name(FftNumber number);
// Nothing where there is no such word.
std::optional<FftForm> fft_form(std::string_view word);
std::optional<FftScaling> fft_scaling(std::string_view word);
std::optional<FftNumber> fft_number(std::string_view word);
// "butterfly or matrix", "worst, noise or calibrated"
std::string fft_forms();
std::string fft_scalings();
std::string fft_numbers();

inline constexpr int kLeastFft = 8, kMostFft = 4096;
inline constexpr int kMostFftBatch = 256;

struct FftOptions {
  int size = 0;   // complex samples of a transform: a power of two from kLeastFft to kMostFft
  int batch = 1;  // transforms of one run: 1 to kMostFftBatch
  FftForm form = FftForm::butterfly;
  FftScaling scaling = FftScaling::worst;
  FftNumber number = FftNumber::int8;
  // Of the matrix form: input and output are [batch, 2N], one FULLY_CONNECTED is all. For chips
  // whose tools take no reshaping.
  bool flat = false;

  int stages() const;  // log2 of the size
};

// Error: template_argument, with the argument's name as its field.
Status check(const FftOptions& options);

}  // namespace edgetwin::signals
