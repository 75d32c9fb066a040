// Where samples come from, one after the other: recordings, synthetic signals, receivers.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "formats/recordings/recording.h"

namespace edgetwin::signals {

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual std::string description() const = 0;
  virtual double sample_rate() const = 0;  // Hz; 0: unknown
  virtual double centre() const { return 0.0; }
  // Whether samples have an imaginary part.
  virtual bool is_complex() const { return true; }
  // The next samples, as many as there is room for, fewer only at the end; 0: there are no more.
  // Errors: bad_value (numbers that are not finite), device.
  virtual Result<size_t> read(std::span<std::complex<float>> to) = 0;
  // Samples that came while nobody took them: of receivers only.
  virtual uint64_t lost() const { return 0; }
  // Bytes at the end that are no whole sample: of recordings only.
  virtual uint64_t rest() const { return 0; }
};

std::unique_ptr<SampleSource> recorded_source(recordings::Recording recording, std::string name);

// "tones": three tones that wander, in noise; "noise": noise alone. The same samples on every
// machine. `rate` in Hz. Error: usage for other names.
Result<std::unique_ptr<SampleSource>> synthetic_source(const std::string& name, double rate);

}  // namespace edgetwin::signals
