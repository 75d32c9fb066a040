// From an executable's hints to checked steps.
#pragma once

#include "targets/edgetpu/driver/device_model.h"

namespace edgetwin::edgetpu {

// Every index, offset and size is checked against bitstreams, parameters, layers and scratch; the
// `inputs` learn how far transfers reach. Error: device_request, darwinn_field.
Result<DeviceProgram> make_program(const darwinn::Executable& executable,
                                   std::vector<LayerPort>& inputs);

}  // namespace edgetwin::edgetpu
