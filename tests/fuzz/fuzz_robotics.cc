// Any bytes as a side-car file, as a parameter blob, as a database of vectors and as a picture of a
// camera: values or an error.
#include <cstdlib>

#include "camera/v4l2.h"
#include "robotics/blob.h"
#include "robotics/matmul/similarity.h"
#include "robotics/sidecar.h"

namespace {

using namespace edgetwin;

void sidecar(ByteSpan bytes) {
  const auto s = robotics::Sidecar::parse(as_text(bytes), "fuzz");
  if (!s.ok()) return;
  for (const char* key : {"temperature", "kernel_height", "variant", "param_overhead"}) {
    const auto number = s->number(key);
    const auto whole = s->integer(key);
    if (whole && !number) std::abort();
    const auto text = s->text(key);
    const auto list = s->integers(key);
    const auto decoded = s->bytes(key);
    if (decoded.ok() && *decoded && !text) std::abort();
  }
}

void blob(ByteSpan bytes) {
  constexpr size_t kSide = 4;
  const auto weights = robotics::dense_weights(kSide, bytes);
  if (!weights.ok()) return;
  const auto overhead = robotics::dense_overhead(kSide, bytes);
  const auto again = robotics::dense_blob(kSide, *weights, *overhead);
  if (!again.ok() || *robotics::dense_weights(kSide, *again) != *weights) std::abort();
}

void database(ByteSpan bytes) {
  static auto made = robotics::EmbeddingSimilarity::from_template(8);
  if (!made.ok()) std::abort();
  const size_t before = made->size();
  const Status loaded = made->load(bytes, "fuzz");
  if (!loaded.ok() && made->size() != before) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  sidecar(bytes);
  blob(bytes);
  database(bytes);
  if (size >= 3) {
    const auto picture = camera::yuyv_to_rgb(bytes.subspan(3), data[0] + 1, data[1] + 1, data[2]);
    if (picture.ok() && picture->data.empty()) std::abort();
  }
  return 0;
}
