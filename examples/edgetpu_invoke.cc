// Real numbers through a whole compiled network, with the operators of the host on the twin.
//   edgetpu_invoke MODEL_edgetpu.tflite MODEL.tflite [usb]
#include <cstdio>

#include "formats/tflite/tflite.h"
#include "open_device.h"
#include "targets/edgetpu/runtime/invoker.h"

using namespace edgetwin;

namespace {

Status run(const examples::Arguments& arguments) {
  EDGETWIN_TRY_ASSIGN(const examples::OpenDevice open, examples::open_device(arguments));
  EDGETWIN_TRY_ASSIGN(edgetpu::CompiledNetwork network,
                      edgetpu::CompiledNetwork::make(open.model, *open.file));
  edgetpu::Invoker invoker(std::move(network), open.device);
  std::vector<std::vector<float>> inputs;
  const Graph& graph = invoker.network().graph();
  for (const ValueId id : graph.inputs)
    inputs.emplace_back(static_cast<size_t>(graph.value(id).shape.elements()), 0.25F);
  EDGETWIN_TRY_ASSIGN(const auto outputs, invoker.invoke(inputs));
  for (const std::vector<float>& output : outputs)
    std::printf("output of %zu values, the first is %g\n", output.size(),
                output.empty() ? 0.0 : static_cast<double>(output[0]));
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) { return examples::finish(run({argc, argv})); }
