// The proof on the chip: an ESP-IDF application that runs models on an ESP32-S3 or ESP32-P4 and
// compares every integer with what was computed here. docs/firmware.md describes the application,
// the blob of golden data and the lines that it prints; log.h reads them back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::targets::espdl {

using FirmwareTensor = Tensor;

// How a case gets its input from the picture of the application, and what its outputs must become:
// the chip's own preparation of pictures and post-processors. Consecutive cases with the same model
// and decoder are looks of one network at parts of the picture.
struct FirmwareVision {
  std::string decoder;           // a row of post_processors.def
  std::vector<float> mean, std;  // in the order of the input's channels; of texts none
  bool swapped = false;          // the input has b, g, r
  std::vector<uint8_t> border;   // r, g, b of a border that keeps the proportions; empty: stretched
  // x1, y1, x2, y2, or eight numbers of a text's corners, or ten of a face's points; empty: all.
  std::vector<int> part;
  float score = 0, overlap = 0;  // thresholds; of espdl-ocr-det those of pixels and of texts
  int most = 0;
  float unclip = 0;  // of espdl-ocr-det: how far texts grow, and their shortest side
  int smallest = 0;
  // "boxes" (int32: class, x1, y1, x2, y2, points), "corners" (int32: eight numbers of each text),
  // "scores", "count", "mask_N" (uint8), "feature", "names" (uint8: of the classes, a line each),
  // "text" (uint8, UTF-8); none where a later look has those of all.
  std::vector<FirmwareTensor> results;
};

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
  // The name of an earlier case with the same model; model_file is empty then.
  std::string model_of = {};
  std::optional<FirmwareVision> vision = {};
};

// The picture that the cases look at.
struct FirmwarePicture {
  std::string name;  // of the file, as it is printed
  Bytes jpeg;        // the file, where the chip is to decode it; empty: it gets the pixels
  Tensor pixels;     // uint8 of (rows, columns, 3): r, g, b
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
  bool always_check_nodes = false;              // not only where an output differs
  std::optional<FirmwarePicture> picture = {};  // then every case has `vision`
};

// All files of the application, by their path in its folder ("main/main.cpp"). Same arguments, same
// bytes. Errors: firmware_case for a case or option that cannot be built, with its name;
// firmware_size where the flash of the usual module (8 MB for the S3, 16 MB for the P4) is too
// small.
Result<std::map<std::string, Bytes>> make_firmware(const FirmwareOptions& options,
                                                   const std::vector<FirmwareCase>& cases);

}  // namespace edgetwin::targets::espdl
