// Finding the reference data, and running a model on it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "exec/input.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"
#include "image/image.h"
#include "instrumented.h"  // under sanitizers long searches are cut short
#include "tensor/npy.h"

namespace edgetwin::golden {

namespace fs = std::filesystem;

// The folder of reference data, or empty: tests that need it skip then.
inline fs::path shared_data() {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

inline Result<Tensor> load_npy(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return read_npy(data, path.string());
}

inline Result<std::shared_ptr<const Graph>> load_graph(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, path.string()));
  return std::make_shared<const Graph>(std::move(model.graphs.front()));
}

// The inputs that a case names: "xs32:SEED", or the array of a resized picture.
inline Result<std::vector<Tensor>> case_inputs(const exec::Session& session,
                                               const std::string& spec,
                                               const fs::path& input_file) {
  std::vector<Shape> shapes;
  for (const ValueId id : session.graph().inputs) shapes.push_back(session.shape(id));
  if (spec.starts_with("xs32:")) {
    return exec::generated_inputs(static_cast<uint32_t>(std::stoul(spec.substr(5))),
                                  session.graph(), shapes);
  }
  EDGETWIN_TRY_ASSIGN(Tensor given, load_npy(input_file));
  given.dtype = session.graph().value(session.graph().inputs[0]).dtype;
  return std::vector<Tensor>{std::move(given)};
}

inline Status run(exec::Session& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) EDGETWIN_TRY(session.set_input(i, inputs[i].data));
  session.reset_variables();
  return session.run();
}

}  // namespace edgetwin::golden
