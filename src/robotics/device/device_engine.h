// An Edge TPU as an engine, attached by USB or made of software: the compiled model on the device,
// operators that are not compiled on the twin.
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "exec/session.h"
#include "graph/graph.h"
#include "robotics/engine/engine.h"
#include "targets/edgetpu/driver/device.h"

namespace edgetwin::robotics {

// `data` is a compiled .tflite file with one input and outputs of uint8 or int8, called `name` in
// errors. Weights can be exchanged where the model keeps them on the chip and is one dense layer
// with one scale per row, or `source`, the model that was compiled, tells where they are (null: it
// is not known); the device gets them before the next run. open() sends the model's weights. `host`
// is how operators that are not compiled are computed. Errors: module_model, device_request, those
// of the readers.
Result<std::unique_ptr<Engine>> device_engine(Bytes data, const std::string& name,
                                              std::shared_ptr<edgetpu::EdgeTpuDevice> device,
                                              std::shared_ptr<const Graph> source = nullptr,
                                              const exec::Options& host = {});

}  // namespace edgetwin::robotics
