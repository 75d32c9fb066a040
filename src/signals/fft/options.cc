#include "signals/fft/options.h"

#include <array>
#include <bit>

namespace edgetwin::signals {
namespace {

constexpr std::array kForms = {
#define FFT_FORM(name, text) std::string_view(#name),
#define FFT_SCALING(name, text)
#define FFT_NUMBER(name, text)
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};
constexpr std::array kScalings = {
#define FFT_FORM(name, text)
#define FFT_SCALING(name, text) std::string_view(#name),
#define FFT_NUMBER(name, text)
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};
constexpr std::array kNumbers = {
#define FFT_FORM(name, text)
#define FFT_SCALING(name, text)
#define FFT_NUMBER(name, text) std::string_view(#name),
#include "signals/fft/choices.def"
#undef FFT_FORM
#undef FFT_SCALING
#undef FFT_NUMBER
};

template <class Enum, size_t n>
std::optional<Enum> choice_of(const std::array<std::string_view, n>& names, std::string_view word) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <size_t n>
std::string listed(const std::array<std::string_view, n>& names) {
  std::string text;
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) text += i + 1 == n ? " or " : ", ";
    text += names[i];
  }
  return text;
}

Error fft_refused(std::string message, std::string argument) {
  return Error(ErrorCode::template_argument, std::move(message)).in_field(std::move(argument));
}

}  // namespace

std::string_view name(FftForm form) { return kForms[static_cast<size_t>(form)]; }
std::string_view name(FftScaling scaling) { return kScalings[static_cast<size_t>(scaling)]; }
std::string_view name(FftNumber number) { return kNumbers[static_cast<size_t>(number)]; }
std::optional<FftForm> fft_form(std::string_view word) { return choice_of<FftForm>(kForms, word); }
std::optional<FftScaling> fft_scaling(std::string_view word) {
  return choice_of<FftScaling>(kScalings, word);
}
std::optional<FftNumber> fft_number(std::string_view word) {
  return choice_of<FftNumber>(kNumbers, word);
}
std::string fft_forms() { return listed(kForms); }
std::string fft_scalings() { return listed(kScalings); }
std::string fft_numbers() { return listed(kNumbers); }

int FftOptions::stages() const { return std::countr_zero(static_cast<unsigned>(size)); }

Status check(const FftOptions& o) {
  if (o.size < kLeastFft || o.size > kMostFft ||
      !std::has_single_bit(static_cast<unsigned>(o.size))) {
    return fft_refused("a transform of " + std::to_string(o.size) +
                           " samples; a power of two from " + std::to_string(kLeastFft) + " to " +
                           std::to_string(kMostFft) + " is possible",
                       "size");
  }
  if (o.batch < 1 || o.batch > kMostFftBatch) {
    return fft_refused(std::to_string(o.batch) + " transforms in a run; 1 to " +
                           std::to_string(kMostFftBatch) + " are possible",
                       "batch");
  }
  if (o.flat && o.form != FftForm::matrix) {
    return fft_refused("the butterfly form has no flat input: its stages are of more axes", "flat");
  }
  return Ok{};
}

}  // namespace edgetwin::signals
