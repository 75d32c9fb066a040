// y = W x with weights that change while the model stays on the device.
//   edgetpu_matmul dense_256_edgetpu.tflite dense_256.tflite [usb]
#include <cstdio>

#include "open_device.h"
#include "targets/edgetpu/runtime/matmul.h"

using namespace edgetwin;

namespace {

Status run(const examples::Arguments& arguments) {
  EDGETWIN_TRY_ASSIGN(const examples::OpenDevice open, examples::open_device(arguments));
  EDGETWIN_TRY_ASSIGN(edgetpu::MatMulEngine engine,
                      edgetpu::MatMulEngine::make(*open.file, open.device));
  const auto rows = static_cast<size_t>(engine.rows());
  const auto columns = static_cast<size_t>(engine.columns());
  // Row r takes element r + shift of the vector.
  for (const size_t shift : {size_t{0}, size_t{1}, columns - 1}) {
    std::vector<float> weights(rows * columns, 0.0F);
    for (size_t r = 0; r < rows; ++r) weights[r * columns + (r + shift) % columns] = 1.0F;
    EDGETWIN_TRY(engine.set_weights(weights, edgetpu::MatMulEngine::Scales::own));
    std::vector<float> x(columns, 0.0F);
    x[5] = 0.75F;
    EDGETWIN_TRY_ASSIGN(const std::vector<float> y, engine.multiply(x));
    size_t largest = 0;
    for (size_t r = 0; r < rows; ++r)
      if (y[r] > y[largest]) largest = r;
    std::printf("shift %zu: x[5] = 0.75 comes out as y[%zu] = %.3f\n", shift, largest,
                static_cast<double>(y[largest]));
  }
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) { return examples::finish(run({argc, argv})); }
