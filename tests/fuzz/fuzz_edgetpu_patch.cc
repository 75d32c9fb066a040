// Any bytes as a compiled model: its parameters located without a reference and with a small one,
// extracted, and patched. What is patched must be readable.
#include <cstdint>
#include <cstring>

#include "targets/edgetpu/params/build.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/params/single_layer.h"

namespace {

using namespace edgetwin;

// Half of the runs get new weights of the right size for the layer that was found.
void patch_first(const Bytes& data, const darwinn::File& file, const edgetpu::Located& located) {
  if (located.layers.empty()) return;
  const edgetpu::ReferenceLayer& l = located.layers[0];
  constexpr int64_t kMost = 1 << 20;
  if (l.shape.weights() > kMost) return;
  edgetpu::LayerPatch patch;
  patch.layer = "0";
  auto weights =
      Tensor::zeros(data.size() % 2 == 0 ? DType::int8 : DType::float32, {l.shape.weights()});
  if (!weights.ok()) return;
  patch.weights = std::move(*weights);
  const auto patched = edgetpu::patch(data, file, located, {patch});
  if (patched.ok() && !darwinn::read(patched->file, "again").ok()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  Bytes data(size);
  if (size != 0) std::memcpy(data.data(), bytes, size);
  const auto file = darwinn::read(data, "fuzz");
  if (!file.ok()) return 0;
  const edgetpu::Located located = edgetpu::locate_alone(*file);
  (void)edgetpu::segments(*file, located.blobs);
  for (const edgetpu::BuiltBlob& b : edgetpu::build(located)) {
    if (b.made + b.copied != static_cast<int64_t>(b.bytes.size())) __builtin_trap();
  }
  patch_first(data, *file, located);
  return 0;
}
