// One input through a float network and through the same network in the integers of each chip.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "serve/inspect/inspect.h"

namespace edgetwin::serve {

class SideBySide {
 public:
  SideBySide();
  ~SideBySide();
  // id of an .onnx network, calibration (ids, comma separated), input: "camera" (then `picture` is
  // the newest one) or "sample", the first one of the first file of calibration data. The chips'
  // networks are kept, so that the next picture costs its inferences only. Layers are paired by
  // their tensors' names; a layer of the MAX7800x, whose numbers have no scale of their own, is
  // measured after the scale that fits best. Errors: file_kind, bad_value, those of quantizing and
  // running the float network.
  Result<Json> answers(const FileStore& files, const Members& m,
                       const std::optional<Tensor>& picture);

 private:
  struct Prepared;
  std::mutex mutex_;
  std::string key_;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace edgetwin::serve
