// y = W x with weights that change while the model stays on the device.
//   edgetpu_matmul dense_256_edgetpu.tflite [usb]
#include <edgetwin/network.h>

#include <cstdio>
#include <string_view>

#include "robotics/matmul/matmul_engine.h"

using namespace edgetwin;

namespace {

Status run(const char* file, bool usb) {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file));
  RunnerOptions options;
  options.where = usb ? Where::device : Where::virtual_device;
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner, network.runner(options));
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<robotics::Engine> chip,
                      robotics::Engine::over(std::move(runner)));
  EDGETWIN_TRY_ASSIGN(robotics::MatMulEngine engine,
                      robotics::MatMulEngine::create(std::move(chip)));
  EDGETWIN_TRY(engine.open());
  const size_t rows = engine.rows(), columns = engine.columns();
  // Row r takes element r + shift of the vector.
  for (const size_t shift : {size_t{0}, size_t{1}, columns - 1}) {
    robotics::Matrix w{rows, columns, std::vector<float>(rows * columns, 0.0F)};
    for (size_t r = 0; r < rows; ++r) w.at(r, (r + shift) % columns) = 1.0F;
    EDGETWIN_TRY(engine.set_weights(w, robotics::Scales::own));
    std::vector<float> x(columns, 0.0F);
    x[5] = 0.75F;
    EDGETWIN_TRY_ASSIGN(const std::vector<float> y, engine.matmul(x));
    size_t largest = 0;
    for (size_t r = 0; r < rows; ++r)
      if (y[r] > y[largest]) largest = r;
    std::printf("shift %zu: x[5] = 0.75 comes out as y[%zu] = %.3f\n", shift, largest,
                static_cast<double>(y[largest]));
  }
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("edgetpu_matmul MODEL_edgetpu.tflite [usb]\n", stderr);
    return 2;
  }
  const Status status = run(argv[1], argc > 2 && std::string_view(argv[2]) == "usb");
  if (!status.ok()) std::fputs(to_text(status.error()).c_str(), stderr);
  return status.ok() ? 0 : 3;
}
