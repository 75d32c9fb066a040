// Real numbers through a whole compiled network, with the operators of the host on the twin.
//   edgetpu_invoke MODEL_edgetpu.tflite [usb]
#include <edgetwin/invoker.h>
#include <edgetwin/network.h>

#include <cstdio>
#include <string_view>

using namespace edgetwin;

namespace {

Status run(const char* file, bool usb) {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file));
  RunnerOptions options;
  options.where = usb ? Where::device : Where::virtual_device;
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner, network.runner(options));
  Invoker invoker(std::move(runner));
  std::vector<std::vector<float>> inputs;
  for (const Port& port : invoker.runner().inputs())
    inputs.emplace_back(static_cast<size_t>(port.shape.elements()), 0.25F);
  EDGETWIN_TRY_ASSIGN(const auto outputs, invoker.invoke(inputs));
  for (const std::vector<float>& output : outputs)
    std::printf("output of %zu values, the first is %g\n", output.size(),
                output.empty() ? 0.0 : static_cast<double>(output[0]));
  return Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("edgetpu_invoke MODEL_edgetpu.tflite [usb]\n", stderr);
    return 2;
  }
  const Status status = run(argv[1], argc > 2 && std::string_view(argv[2]) == "usb");
  if (!status.ok()) std::fputs(to_text(status.error()).c_str(), stderr);
  return status.ok() ? 0 : 3;
}
