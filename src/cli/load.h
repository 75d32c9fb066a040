// Files by content.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::cli {

enum class FileKind : uint8_t { unknown, tflite, npy, npz, image };

FileKind file_kind(ByteSpan data);
std::string_view name(FileKind kind);

Error unknown_kind(const std::string& file);

struct LoadedModel {
  std::string file;
  std::string sha256;
  int64_t bytes = 0;
  std::shared_ptr<const Model> model;

  std::shared_ptr<const Graph> graph() const { return {model, &model->main()}; }
};

Result<LoadedModel> load_model(const std::string& file);
Result<LoadedModel> load_model(ByteSpan data, const std::string& file);

// All arrays of a .npy or .npz file, or the one picture of an image file.
Result<std::vector<Tensor>> load_tensors(FileKind kind, ByteSpan data, const std::string& file);

}  // namespace edgetwin::cli
