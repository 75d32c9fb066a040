// Files with graphs in them, by content.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "edgetwin/network.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/wire/key.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::twin {

// The form of the bytes alone: compiled models are .tflite files too, and networks of the MAX7800x
// are unknown here. file_kind() of edgetwin/network.h looks deeper.
FileKind sniff(ByteSpan data);

Error unknown_kind(const std::string& file);

struct LoadedModel {
  std::string file;
  std::string sha256;
  int64_t bytes = 0;
  std::shared_ptr<const Model> model;
  // Of an .espdl file: the document that the model was made of, and for which chip.
  std::shared_ptr<const espdl::ModelFile> espdl;
  std::string target;      // "c", "esp32s3", "esp32p4"; empty for other files
  std::string target_why;  // how it is known, one sentence

  std::shared_ptr<const Graph> graph() const { return {model, &model->main()}; }
};

// How a model is to be opened.
struct LoadOptions {
  std::string target, member, key;
  bool any_target = false;  // structure only: where the file does not tell, take one that fits
  std::vector<std::string> shapes = {};  // of an .onnx file, NAME=1,3,224,224
  std::string sha256 = {};               // of the file, where it is known already
};

// Errors: file_kind, espdl_target, espdl_key, and those of the readers.
Result<LoadedModel> load_model(const std::string& file, const LoadOptions& options = {});
Result<LoadedModel> load_model(ByteSpan data, const std::string& file,
                               const LoadOptions& options = {});
// The same; of an .espdl file `data` is given back, and empty, once it is read, so that file,
// document and graph are not in memory together.
Result<LoadedModel> load_model_and_release(Bytes& data, const std::string& file,
                                           const LoadOptions& options);

// Nothing for an empty text. Error: espdl_key.
Result<std::optional<espdl::Key>> optional_key(const std::string& text);

// The container of an .espdl file. Errors: those of espdl::read, espdl_key.
Result<espdl::Container> load_espdl(ByteSpan data, const std::string& file, const std::string& key);
// Error: usage for a key that no model needs.
Status refuse_unused_key(const std::vector<espdl::ModelFile>& models, const std::string& key,
                         const std::string& file);

// All arrays of a .npy or .npz file, or the one picture of an image file.
Result<std::vector<Tensor>> load_tensors(FileKind kind, ByteSpan data, const std::string& file);

}  // namespace edgetwin::twin
