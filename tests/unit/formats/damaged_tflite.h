// A small model file in which tests damage one thing at a time.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "formats/tflite/tflite.h"
#include "unit/formats/flat_editor.h"
#include "unit/formats/tflite_models.h"

namespace edgetwin::testing {

// Field ids of the tables (docs/formats/tflite.md).
inline constexpr int kModelVersion = 0, kModelCodes = 1, kModelGraphs = 2, kModelBuffers = 4,
                     kModelMetadata = 6, kModelSignatures = 7;
inline constexpr int kGraphTensors = 0, kGraphInputs = 1, kGraphOps = 3;
inline constexpr int kTensorShape = 0, kTensorType = 1, kTensorBuffer = 2, kTensorQuant = 4;
inline constexpr int kQuantScale = 2, kQuantZeroPoint = 3;
inline constexpr int kOpInputs = 1, kOpOutputs = 2, kOpOptionsType = 3, kOpOptions = 4;
inline constexpr int kCodeShort = 0, kCodeLong = 3;

// tensors of small_model()
inline constexpr size_t kInput = 0, kWeights = 1, kBias = 2;

class Damaged : public FlatEditor {
 public:
  explicit Damaged(const Model& model = small_model()) : FlatEditor(*tflite::write(model)) {}
  size_t graph() const { return element(child(root(), kModelGraphs), 0); }
  size_t tensor(size_t i) const { return element(child(graph(), kGraphTensors), i); }
  size_t op() const { return element(child(graph(), kGraphOps), 0); }
  size_t code() const { return element(child(root(), kModelCodes), 0); }
};

inline void expect_placed(const Error& error) {
  EXPECT_EQ(error.place.file, "bad.tflite");
  EXPECT_TRUE(error.place.offset.has_value()) << to_text(error);
  EXPECT_FALSE(error.place.field.empty() && error.place.layer.empty()) << to_text(error);
  EXPECT_FALSE(error.message.empty());
}

inline Error error_of(ByteSpan bytes) {
  auto model = tflite::read(bytes, "bad.tflite");
  EXPECT_FALSE(model.ok());
  if (model.ok()) return {};
  expect_placed(model.error());
  return std::move(model).error();
}

inline ErrorCode code_of(const FlatEditor& editor) { return error_of(editor.bytes()).code; }

}  // namespace edgetwin::testing
