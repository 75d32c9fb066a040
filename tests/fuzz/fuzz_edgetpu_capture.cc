// Any bytes as a USB capture: packets that can be put into the driver's words, or an error.
#include <cstdlib>

#include "targets/edgetpu/capture/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  const auto capture = edgetpu::read_capture(std::as_bytes(std::span(data, size)), "fuzz");
  if (!capture.ok()) return 0;
  for (const edgetpu::CapturedDevice& device : edgetpu::captured_devices(*capture)) {
    const auto actions = edgetpu::actions_of(*capture, device);
    for (const edgetpu::DriverLine& line : edgetpu::driver_lines(actions)) {
      if (line.text.empty()) std::abort();
    }
  }
  // What was written is read again as it was.
  const Bytes written = edgetpu::write_capture(capture->packets);
  const auto again = edgetpu::read_capture(written, "again");
  if (!again.ok() || again->packets.size() != capture->packets.size()) std::abort();
  return 0;
}
