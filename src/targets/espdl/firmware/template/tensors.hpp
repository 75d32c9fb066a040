// Tensors of esp-dl over golden data and over memory of our own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dl_model_base.hpp"
#include "golden.hpp"

namespace check {

using TensorMap = std::map<std::string, dl::TensorBase*>;

// Memory as esp-dl wants it: 16-byte aligned, a multiple of 16 long, outside the small internal RAM
// where there is more.
class Buffer {
 public:
  explicit Buffer(size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }  // null where memory ran out

 private:
  void* data_ = nullptr;
};

// The inputs of a run, straight from the blob.
class Inputs {
 public:
  explicit Inputs(const std::vector<GoldenTensor>& golden);
  TensorMap& map() { return map_; }

 private:
  std::vector<std::unique_ptr<dl::TensorBase>> tensors_;
  TensorMap map_;
};

// Empty tensors into which a run copies what it makes under their names.
class Copies {
 public:
  bool add(const GoldenTensor& golden);  // false where memory ran out
  TensorMap& map() { return map_; }
  dl::TensorBase& of(const GoldenTensor& golden) { return *map_.at(golden.name); }

 private:
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::unique_ptr<dl::TensorBase>> tensors_;
  TensorMap map_;
};

void run(dl::Model& model, TensorMap& inputs, TensorMap wanted);

}  // namespace check
