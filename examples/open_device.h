// What the example programs share: files read, a stick opened, errors printed.
#pragma once

#include <memory>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "graph/graph.h"
#include "targets/edgetpu/driver/device.h"

namespace edgetwin::examples {

struct Arguments {
  int count = 0;
  char** words = nullptr;
};

struct OpenDevice {
  std::shared_ptr<const darwinn::File> file;  // the compiled operators
  std::shared_ptr<const Model> model;         // the network around them
  std::shared_ptr<edgetpu::Clock> clock;
  std::shared_ptr<edgetpu::EdgeTpuDevice> device;
};

// COMPILED SOURCE [usb]: without the last word on a stick made of software, which computes what
// SOURCE says.
Result<OpenDevice> open_device(const Arguments& arguments);

// The exit code; prints the error.
int finish(const Status& status);

}  // namespace edgetwin::examples
