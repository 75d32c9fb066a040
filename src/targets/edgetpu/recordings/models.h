// The models and files that recorded cases name, and their graphs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/session.h"
#include "formats/darwinn/darwinn.h"
#include "graph/graph.h"

namespace edgetwin::edgetpu::silicon {

using GraphPtr = std::shared_ptr<const Graph>;

// The graph of a compiled model: `data` is the file `name`.
using OpenCompiled = std::function<Result<GraphPtr>(ByteSpan data, const std::string& name)>;

// A compiled model of one convolution or dense layer, from its parameters and the numbers of its
// instruction; scales are chosen so that the multiplier is the instruction's, to the last bit.
// Error: op_unsupported for other models.
Result<GraphPtr> single_layer(const darwinn::File& file);

// The files of some folders and all below them, by name; of equal names the first folder's, then
// the first in the order of their paths.
class Files {
 public:
  // Errors: file_open.
  static Result<Files> list(const std::vector<std::filesystem::path>& folders);
  // By the last part of `name`.
  std::optional<std::filesystem::path> find(const std::string& name) const;

 private:
  std::map<std::string, std::filesystem::path> by_name_;
};

struct OpenedModel {
  GraphPtr graph;
  std::string file;  // the name without folders
  bool compiled = false;
};

class Models {
 public:
  Models(const Files& files, OpenCompiled open_compiled, bool compiled_first)
      : files_(files), open_compiled_(std::move(open_compiled)), compiled_first_(compiled_first) {}

  // The source or the compiled form of the model, whichever is there. Nothing where no file is.
  // Errors: those of the readers, and of OpenCompiled where only that form is there.
  Result<std::optional<OpenedModel>> open(const std::string& name) const;

 private:
  Result<OpenedModel> open_file(const std::filesystem::path& path) const;
  const Files& files_;
  OpenCompiled open_compiled_;
  bool compiled_first_;
};

// Input bytes as they go over the wire: unsigned. Errors: those of set_input.
Status set_wire_input(exec::Session& session, ByteSpan bytes);
// A tensor's bytes as the chip has them: unsigned.
Bytes wire_bytes(Tensor tensor);

}  // namespace edgetwin::edgetpu::silicon
