// Weights in files beside the model.
#pragma once

#include <map>
#include <string>

#include "formats/onnx/document/document.h"

namespace edgetwin::onnx {

class ExternalWeights {
 public:
  ExternalWeights(const std::string& file, const ExternalFiles& external)
      : file_(file), external_(external) {}

  // What the entries name: location, and offset and length where they are given; `place` is the
  // tensor for errors. Error: onnx_external.
  Result<Bytes> read(const std::map<std::string, std::string>& entries, const std::string& place);

 private:
  Error error(const std::string& place, std::string why) const;
  Result<const Bytes*> content(const std::string& name, const std::string& place);

  const std::string& file_;
  const ExternalFiles& external_;
  std::map<std::string, Bytes, std::less<>> known_;
};

}  // namespace edgetwin::onnx
