// Spectra of a stream in the terminal, and as files.
#pragma once

#include <complex>
#include <vector>

#include "cli/shared/console.h"
#include "cli/streams/stream_arguments.h"
#include "cli/streams/transforms.h"
#include "signals/spectrum/waterfall.h"

namespace edgetwin::cli {

class SpectrumView {
 public:
  SpectrumView(const StreamArguments& a, Console& console) : a_(a), console_(console) {}

  // Reads the source to its end, or as far as --rows says; prints a line a row, then counts; fills
  // the document. `keep_spectra`: for spectra(). Errors: those of stream_spectrum.
  Status show(signals::SampleSource& source, const StreamTransform& transform, bool keep_spectra);

  // PNG. Errors: those of waterfall_png.
  Result<Bytes> waterfall() const;
  // .npy, complex64, a row a transform.
  Result<Bytes> spectra() const;
  // Source, counts and rows, as show() puts them into the document too.
  const report::Json& summary() const { return summary_; }

 private:
  Result<bool> take(const std::vector<float>& row, const signals::SampleSource& source);
  void finish(const signals::StreamSummary& s, const signals::SampleSource& source);

  const StreamArguments& a_;
  Console& console_;
  signals::DecibelRows rows_;
  signals::DecibelRange first_;
  std::vector<std::complex<float>> numbers_;
  report::Json lines_ = report::Json::array(), summary_ = report::Json::object();
  size_t size_ = 0;
};

}  // namespace edgetwin::cli
