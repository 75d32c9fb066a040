#include "signals/stream/spectrum_stream.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::signals {
namespace {

class SpectrumStream {
 public:
  SpectrumStream(SampleSource& source, Tensor input, FftPacking packing,
                 const StreamOptions& options, const Transform& transform, const StreamSinks& sinks)
      : source_(source),
        input_(std::move(input)),
        packing_(std::move(packing)),
        options_(options),
        transform_(transform),
        sinks_(sinks),
        factors_(window_factors(options.window, packing_.size())),
        average_(packing_.size(), options.window),
        held_(packing_.size()) {
    const double kept = options.overlap * static_cast<double>(packing_.size());
    step_ = packing_.size() - static_cast<size_t>(kept);
  }

  Result<StreamSummary> run() {
    while (!done_) {
      EDGETWIN_TRY_ASSIGN(const bool more, next_frame());
      if (!more) break;
      if (++filled_ == packing_.batch()) EDGETWIN_TRY(compute());
    }
    // Transforms of a run that is not full are computed beside old frames, and only they count.
    if (!done_ && filled_ > 0) EDGETWIN_TRY(compute());
    if (!done_ && average_.count() > 0) EDGETWIN_TRY(end_row());
    summary_.cut_off = packing_.cut_off();
    return summary_;
  }

 private:
  // Moves the held samples on by a step, and puts them, windowed, after the frames of this run.
  Result<bool> next_frame() {
    const size_t size = packing_.size();
    const size_t wanted = started_ ? step_ : size;
    std::move(held_.begin() + static_cast<std::ptrdiff_t>(wanted), held_.end(), held_.begin());
    const std::span room = std::span(held_).subspan(size - wanted);
    EDGETWIN_TRY_ASSIGN(const size_t got, source_.read(room));
    summary_.samples += got;
    if (got < wanted) {
      summary_.unused = got;
      return false;
    }
    started_ = true;
    run_.resize(size * packing_.batch());
    for (size_t i = 0; i < size; ++i) run_[filled_ * size + i] = held_[i] * factors_[i];
    return true;
  }

  Status compute() {
    packing_.pack(run_, input_);
    EDGETWIN_TRY_ASSIGN(const Tensor output, transform_(input_));
    EDGETWIN_TRY_ASSIGN(const auto numbers, unpack(output));
    const size_t size = packing_.size();
    for (size_t f = 0; f < filled_ && !done_; ++f) {
      const auto spectrum = std::span(numbers).subspan(f * size, size);
      ++summary_.frames;
      if (sinks_.frame) EDGETWIN_TRY(sinks_.frame(spectrum));
      average_.add(spectrum);
      if (average_.count() == options_.average) EDGETWIN_TRY(end_row());
    }
    filled_ = 0;
    return Ok{};
  }

  Status end_row() {
    ++summary_.rows;
    EDGETWIN_TRY_ASSIGN(const bool more, sinks_.row(average_.take_decibels()));
    const bool enough = options_.rows > 0 && summary_.rows >= static_cast<uint64_t>(options_.rows);
    done_ = !more || enough;
    return Ok{};
  }

  SampleSource& source_;
  Tensor input_;
  FftPacking packing_;
  const StreamOptions& options_;
  const Transform& transform_;
  const StreamSinks& sinks_;
  std::vector<float> factors_;
  PowerAverage average_;
  std::vector<std::complex<float>> held_, run_;
  size_t step_ = 1, filled_ = 0;
  bool started_ = false, done_ = false;
  StreamSummary summary_;
};

}  // namespace

Result<StreamSummary> stream_spectrum(SampleSource& source, const Tensor& like, InputOrder order,
                                      const StreamOptions& options, const Transform& transform,
                                      const StreamSinks& sinks) {
  EDGETWIN_TRY_ASSIGN(FftPacking packing, FftPacking::create(like, order));
  return SpectrumStream(source, like, std::move(packing), options, transform, sinks).run();
}

}  // namespace edgetwin::signals
