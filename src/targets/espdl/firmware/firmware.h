// The proof on the chip: an ESP-IDF application that runs models on an ESP32-S3 or ESP32-P4 and
// compares every integer with what was computed here. docs/firmware.md describes the application,
// the blob of golden data and the lines that it prints; log.h reads them back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::targets::espdl {

using FirmwareTensor = Tensor;

// One model and what it must give. Tensors have the names and the layout of the .espdl file and,
// where quantized, one exponent (Quant::power_of_two); float32 tensors are compared by their bits.
struct FirmwareCase {
  std::string name;  // "A-Z a-z 0-9 . _ -", at most 48 characters, unique in the application
  Bytes model_file;  // a single plain model, EDL1 or EDL2
  std::vector<FirmwareTensor> inputs;
  std::vector<FirmwareTensor> outputs;
  // What the operators make, in the order of execution; may be empty. Used to name the first
  // operator that differs.
  std::vector<FirmwareTensor> nodes;
  // The model has one int8 or int16 input and one output of the same number of elements, and is run
  // over all 256 or 65,536 integers. `inputs` holds one tensor that gives name, type and exponent
  // (its bytes are not used), `outputs` one tensor with the result for every integer, lowest first.
  bool lut_sweep = false;
};

enum class ModelPlace : uint8_t {
  rodata,     // within the application
  partition,  // in partitions of their own, which can be flashed alone
};

struct FirmwareOptions {
  std::string target;  // "esp32s3" or "esp32p4"
  std::string esp_dl_version = "3.3.9";
  ModelPlace place = ModelPlace::rodata;
  // Bytes of `nodes` that are carried whole, first cases and nodes first; from the others only
  // length and CRC-32, which still tell which one differs, but not where.
  uint64_t node_bytes = uint64_t{1} << 20;
  bool always_check_nodes = false;  // not only where an output differs
};

// All files of the application, by their path in its folder ("main/main.cpp"). Same arguments, same
// bytes. Errors: firmware_case for a case or option that cannot be built, with its name;
// firmware_size where the flash of the usual module (8 MB for the S3, 16 MB for the P4) is too
// small.
Result<std::map<std::string, Bytes>> make_firmware(const FirmwareOptions& options,
                                                   const std::vector<FirmwareCase>& cases);

}  // namespace edgetwin::targets::espdl
