// An application for a chip that proves models on it: an ESP-IDF project that runs .espdl models on
// an ESP32-S3 or ESP32-P4 and compares every integer with what is computed here. docs/firmware.md.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

struct FirmwareOptions {
  OpenOptions open;      // of every model: target, key, member, runtime (the version of ESP-DL)
  RunnerOptions runner;  // how the expected values are computed: threads, plain, allow_undefined
  // As for read_inputs(); empty: a model's embedded test inputs, else xs32:1.
  std::vector<std::string> inputs;
  bool partition = false;   // models in flash partitions of their own instead of in the application
  bool lut_sweeps = false;  // also every look-up table over all 256 or 65,536 inputs
  // A file, PNG, JPEG, BMP or .npy of r, g, b: the application brings it into the models one after
  // the other with the chip's own code, as see_picture() does here, and each stage is compared.
  std::string picture = {};
  std::vector<std::string> decoders = {};  // with a picture: of each model, "espdl-yolo11", …
  std::string params = {};                 // with a picture: as VisionOptions::params
  // With a picture: names of the last model's classes, or its dictionary of texts, a line each. The
  // chip's are compared with them.
  std::string labels = {};
};

struct Firmware {
  const Target* target = nullptr;
  size_t checks = 0;            // models and tables that the application runs
  std::vector<MadeFile> files;  // of the ESP-IDF project
  std::vector<Finding> findings;
};

// `models`: .espdl files for the same chip. Errors: file_kind for another kind, usage where they
// are for different chips, or a decoder is none of firmware_decoders(), firmware_case,
// firmware_size, and those of opening, planning, inputs and running.
EDGETWIN_API Result<Firmware> make_firmware(const std::vector<std::string>& models,
                                            const FirmwareOptions& options);

// What FirmwareOptions::decoders may be.
EDGETWIN_API std::vector<std::string> firmware_decoders();

}  // namespace edgetwin
