// A live receiver as a source of samples.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "signals/stream/source.h"

namespace edgetwin::signals {

// What is asked of a receiver's library: the seam at which tests put a device of their own. Samples
// are cu8.
class ReceiverLibrary {
 public:
  virtual ~ReceiverLibrary() = default;
  virtual uint32_t count() = 0;
  virtual std::string device_name(uint32_t index) = 0;
  // Errors: device.
  virtual Status open(uint32_t index) = 0;
  // Gives the rate that the device has then.
  virtual Result<uint32_t> set_sample_rate(uint32_t hertz) = 0;
  virtual Status set_centre(uint32_t hertz) = 0;
  // Decibels; nothing: the device chooses.
  virtual Status set_gain(std::optional<double> gain) = 0;
  // Forgets what the device has gathered before.
  virtual Status reset() = 0;
  // Waits for so many bytes, a multiple of kReceiverBlock.
  virtual Result<size_t> read(std::span<uint8_t> to) = 0;
  virtual void close() = 0;
};

inline constexpr size_t kReceiverBlock = 16384;  // bytes: what USB transfers come in
inline constexpr size_t kRingBlocks = 1000;      // blocks that wait at most

// librtlsdr's public interface, from the shared library of that name; `file` empty: librtlsdr.so.0.
// Error: device where there is none, with the package that has it, or where a function is missing.
Result<std::unique_ptr<ReceiverLibrary>> load_rtl_sdr(const std::string& file = "");

struct ReceiverOptions {
  uint32_t index = 0;
  double sample_rate = 2048000.0, centre = 100000000.0;
  std::optional<double> gain = {};
  size_t ring_blocks = kRingBlocks;
};

// Opens the device, and reads it on a thread of its own into a ring; samples that find the ring
// full are lost and counted. Errors: device, usage where the device's rate is another than was
// asked for.
Result<std::unique_ptr<SampleSource>> receiver_source(std::unique_ptr<ReceiverLibrary> library,
                                                      const ReceiverOptions& options);

}  // namespace edgetwin::signals
