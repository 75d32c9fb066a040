// Lists Edge TPUs and runs one inference on raw bytes.
//   edgetpu_device MODEL_edgetpu.tflite MODEL.tflite [usb]
#include <cstdio>

#include "open_device.h"

using namespace edgetwin;

namespace {

Status run(const examples::Arguments& arguments) {
  EDGETWIN_TRY_ASSIGN(const examples::OpenDevice open, examples::open_device(arguments));
  EDGETWIN_TRY_ASSIGN(const auto model, edgetpu::DeviceModel::make(*open.file));
  std::vector<Bytes> data;
  std::vector<ByteSpan> inputs;
  for (const edgetpu::LayerPort& port : model->inputs()) data.emplace_back(port.bytes);
  for (const Bytes& bytes : data) inputs.emplace_back(bytes);
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> outputs, open.device->run(model, inputs));
  for (size_t i = 0; i < outputs.size(); ++i)
    std::printf("output '%s': %zu bytes, the first is %d\n", model->outputs()[i].name.c_str(),
                outputs[i].size(), std::to_integer<int>(outputs[i][0]));
  EDGETWIN_TRY_ASSIGN(const edgetpu::Temperature t, open.device->temperature());
  std::printf("temperature sensor: %d (raw)\n", t.raw);
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) { return examples::finish(run({argc, argv})); }
