// Samples in, spectra out: windowed, overlapped frames through a network, powers averaged.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "signals/fft/packing.h"
#include "signals/spectrum/average.h"
#include "signals/stream/source.h"

namespace edgetwin::signals {

struct StreamOptions {
  Window window = Window::hann;
  double overlap = 0.0;  // of neighbouring frames, as a share: 0 to 0.95
  int average = 1;       // transforms of a row
  int rows = 0;          // stop after so many; 0: at the end of the source
};

// One run of the network: its input filled, its output.
using Transform = std::function<Result<Tensor>(const Tensor& input)>;

struct StreamSinks {
  // A spectrum as the network gives it, frequency 0 first; may be null.
  std::function<Status(std::span<const std::complex<float>> spectrum)> frame;
  // Decibels of an average, lowest frequency first. False ends the stream.
  std::function<Result<bool>(const std::vector<float>& decibels)> row;
};

struct StreamSummary {
  uint64_t samples = 0, frames = 0, rows = 0;
  uint64_t unused = 0;   // samples at the end that fill no frame
  uint64_t cut_off = 0;  // parts beyond the range of the input
};

// `like`: the network's input. Errors: template_argument for a network that is not a transform,
// those of source, network and sinks.
Result<StreamSummary> stream_spectrum(SampleSource& source, const Tensor& like, InputOrder order,
                                      const StreamOptions& options, const Transform& transform,
                                      const StreamSinks& sinks);

}  // namespace edgetwin::signals
