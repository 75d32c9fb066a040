// Any bytes as WAV, as the text of a SigMF recording, and as raw samples: finite numbers or an
// error.
#include <cmath>
#include <cstdlib>

#include "formats/recordings/recording.h"

namespace {

using namespace edgetwin;

void read_all(const recordings::Recording& r) {
  std::complex<float> samples[64];
  for (uint64_t first = 0; first < r.samples(); first += 64) {
    const auto got = r.read(first, samples);
    if (!got.ok()) return;
    for (size_t i = 0; i < *got; ++i) {
      if (!std::isfinite(samples[i].real()) || !std::isfinite(samples[i].imag())) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  if (const auto wav = recordings::read_wav(bytes, "fuzz"); wav.ok()) read_all(*wav);
  if (const auto meta = recordings::read_sigmf(as_text(bytes), "fuzz"); meta.ok()) {
    if (meta->dataset.find('/') != std::string::npos) std::abort();
  }
  for (const auto& row : recordings::all_sample_types()) {
    read_all(
        recordings::Recording(to_bytes(bytes), row.type, 1 + static_cast<int>(size % 3), 0, 0));
  }
  return 0;
}
