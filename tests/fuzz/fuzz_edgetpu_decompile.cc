// Any bytes as a compiled model: decompiled with few tries for the scales. What comes of it must be
// a graph that can be written and read again, and be compared with itself without a difference.
#include <cstdint>
#include <cstring>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace edgetwin;
  Bytes data(size);
  if (size != 0) std::memcpy(data.data(), bytes, size);
  const auto file = darwinn::read(data, "fuzz");
  if (!file.ok()) return 0;
  const edgetpu::ReplayLimits limits{20'000'000};
  for (const darwinn::CompiledOp& op : file->ops) {
    for (const darwinn::Package& p : op.packages) {
      if (p.inference() != nullptr) {
        (void)edgetpu::find_layers(*p.inference(),
                                   p.find(darwinn::ExecutableType::parameter_caching), limits);
      }
    }
  }
  const auto model = tflite::read(data, "fuzz");
  if (!model.ok()) return 0;
  const auto decompiled = edgetpu::decompile(*model, *file, {.tries = 16}, limits);
  if (!decompiled.ok()) return 0;
  const auto written = tflite::write(decompiled->model);
  if (written.ok() && !tflite::read(*written, "again").ok()) __builtin_trap();
  (void)edgetpu::compare_networks(decompiled->model.main(), decompiled->model.main());
  return 0;
}
