// The tensors of a checkpoint's state under their names, for changing them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/torch/checkpoint.h"

namespace edgetwin::max78 {

class State {
 public:
  static Result<State> of(const torch::Checkpoint& checkpoint);

  // In the order of the file; entries that were added since follow it.
  const std::vector<std::string>& names() const { return names_; }
  Tensor* find(const std::string& name);
  // As single precision; error of the given code if the entry has another type of number.
  Result<std::vector<float>> floats(const std::string& name, ErrorCode code);
  void set(const std::string& name, const Shape& shape, const std::vector<float>& values);
  void remove(const std::string& name);
  // Puts a new state_dict with all entries in place of the old one.
  void store(torch::Checkpoint& checkpoint) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace edgetwin::max78
