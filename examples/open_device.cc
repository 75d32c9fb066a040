#include "open_device.h"

#include <cstdio>
#include <string_view>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/libusb/usb_transport.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::examples {

namespace {

Result<std::shared_ptr<const Model>> read_model(const char* file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, file));
  return std::make_shared<const Model>(std::move(model));
}

}  // namespace

Result<OpenDevice> open_device(const Arguments& arguments) {
  if (arguments.count < 3)
    return Error(ErrorCode::usage, "a compiled model and its source are needed")
        .with_hint(std::string(arguments.words[0]) + " NAME_edgetpu.tflite NAME.tflite [usb]");
  OpenDevice open;
  const char* compiled = arguments.words[1];
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(compiled));
  EDGETWIN_TRY_ASSIGN(darwinn::File file, darwinn::read(data, compiled));
  open.file = std::make_shared<const darwinn::File>(std::move(file));
  EDGETWIN_TRY_ASSIGN(open.model, read_model(compiled));
  std::shared_ptr<edgetpu::Transport> transport;
  edgetpu::DeviceOptions options;
  if (arguments.count > 3 && std::string_view(arguments.words[3]) == "usb") {
    EDGETWIN_TRY_ASSIGN(transport, edgetpu::usb_transport());
  } else {
    const auto bus = std::make_shared<edgetpu::VirtualBus>();
    EDGETWIN_TRY_ASSIGN(const std::shared_ptr<const Model> source, read_model(arguments.words[2]));
    EDGETWIN_TRY(bus->learn(*open.file, {source, &source->main()}, compiled));
    transport = bus;
    open.clock = std::make_shared<edgetpu::JumpingClock>();
    options.clock = open.clock.get();
  }
  EDGETWIN_TRY_ASSIGN(open.device, edgetpu::EdgeTpuDevice::open(transport, "", options));
  return open;
}

int finish(const Status& status) {
  if (status.ok()) return 0;
  std::fputs(to_text(status.error()).c_str(), stderr);
  return info(status.error().code).exit_code;
}

}  // namespace edgetwin::examples
