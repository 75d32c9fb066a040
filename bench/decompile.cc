// Processor time for finding the layers of compiled Edge TPU models and for choosing their scales.
// bench_decompile net_edgetpu.tflite...
#include <cstdio>
#include <ctime>

#include "base/file.h"
#include "formats/darwinn/reader.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"
#include "targets/edgetpu/decompile/scales/scales.h"

namespace {

using namespace edgetwin;

double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Errors: those of the reader and of find_layers.
Status measure(const char* path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, path));
  for (const darwinn::CompiledOp& op : file.ops) {
    for (const darwinn::Package& package : op.packages) {
      const darwinn::Executable* inference = package.inference();
      if (inference == nullptr) continue;
      const std::clock_t begin = std::clock();
      EDGETWIN_TRY_ASSIGN(
          const edgetpu::Layers layers,
          edgetpu::find_layers(*inference,
                               package.find(darwinn::ExecutableType::parameter_caching)));
      const double found = seconds_since(begin);
      const std::clock_t middle = std::clock();
      const edgetpu::Scales scales = edgetpu::choose_scales(layers, *inference);
      std::printf("%8.3f s layers %8.3f s scales  %3zu layers, %zu inexact  %s\n", found,
                  seconds_since(middle), layers.layers.size(), scales.inexact.size(), path);
    }
  }
  return Ok{};
}

}  // namespace

int main(int count, char** arguments) {
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    const Status measured = measure(arguments[i]);
    if (measured.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", arguments[i], measured.error().message.c_str());
    failed = 1;
  }
  return failed;
}
