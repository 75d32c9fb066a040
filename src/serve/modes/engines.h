// What a mode runs on: the twin, a virtual stick that executes what our compiler makes, or a real
// one; and both at once, with the bytes compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "edgetwin/runner.h"
#include "robotics/module.h"

namespace edgetwin::serve {

// How often device and twin gave other bytes. Written by the pipeline's thread only.
struct Comparison {
  int64_t runs = 0, bytes = 0, different = 0;  // of the last run: bytes and those that differ
  int64_t runs_different = 0;
  std::string first_layer;  // of the last run that differed
};

struct EngineChoice {
  std::string device = "twin";         // "twin", "virtual", "usb", "usb:BUS-PORT"
  std::shared_ptr<Comparison> beside;  // not null: the twin computes everything, too
};

// "HARDWARE", "VIRTUAL", "TWIN"; for the badge of the page.
std::string badge_of(const EngineChoice& choice);
// Why a word is not a device; empty: it is.
std::string refuse_engine(const std::string& device);

// A template as an engine with its side-car file. On devices it is compiled by our compiler first.
// Errors: template_argument, module_model where nothing of it runs on the chip, device_*.
Result<robotics::Prepared> prepare(Result<edgetpu::templates::Template> made,
                                   const EngineChoice& choice);

// A file of the user's on it, for a decoder of decode.h or none. On devices a network that is not
// compiled is compiled first; on the twin a .tflite file computes in the chip's numerics, a
// compiled one in the machine. Errors: those of opening, of the compiler and of devices.
Result<std::unique_ptr<Runner>> runner_of_file(const std::string& file, const EngineChoice& choice,
                                               const std::string& decoder);

}  // namespace edgetwin::serve
