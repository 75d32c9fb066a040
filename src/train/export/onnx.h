// A network for the MAX78000 and MAX78002 as an ONNX file: in real numbers as it was trained, or in
// the chip's integers, which every reader that computes in binary32 gives exactly.
#pragma once

#include <string>
#include <vector>

#include "formats/onnx/document/document.h"
#include "train/network/model.h"

namespace edgetwin::train {

enum class ExportForm : uint8_t {
  real,      // inputs and outputs over 128; weights as they are stored, nothing rounded
  integers,  // inputs, weights and outputs are the chip's integers, as real numbers
};

struct Exported {
  onnx::Document document;
  // Layers some sums of which could be beyond 2^24, so that binary32 would round them.
  std::vector<std::string> inexact;
};

// One item: `input` is (1, channels, rows, columns), of one-dimensional networks (1, channels,
// length). Quantization takes part of ExportForm::integers even if it does not in the model.
// Error: train_exported where the network has no such form.
Result<Exported> export_onnx(const Model& model, ExportForm form);

}  // namespace edgetwin::train
