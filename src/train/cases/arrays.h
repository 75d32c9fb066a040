// The arrays of a recorded case, and those that are computed for it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"
#include "train/engine/maps.h"

namespace edgetwin::train {

// An .npz whose arrays are asked for by name.
class CaseArrays {
 public:
  // Errors: those of read_file and read_npz.
  static Result<CaseArrays> read(const std::filesystem::path& path);

  const Tensor* find(const std::string& name) const;
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Names that were asked for with a result.
  const std::set<std::string>& used() const { return used_; }

  // Error: train_case where there is no such array.
  Result<const Tensor*> get(const std::string& name) const;
  Result<std::vector<float>> floats(const std::string& name) const;
  Result<std::vector<int64_t>> integers(const std::string& name) const;
  // Empty where there is no such array.
  std::vector<float> floats_or_none(const std::string& name) const;

 private:
  std::string file_;
  std::vector<Tensor> tensors_;
  mutable std::set<std::string> used_;
};

std::vector<float> float_values(const Tensor& tensor);
std::vector<int64_t> integer_values(const Tensor& tensor);

// Arrays (items, channels[, places[, columns]]) as maps.
Maps maps_of(const Tensor& tensor);
IntMaps integer_maps_of(const Tensor& tensor);

// What a case gives, in the order of adding.
class CaseResults {
 public:
  void add(const std::string& name, const Shape& shape, std::span<const float> values);
  void add(const std::string& name, const Shape& shape, std::span<const double> values);
  // As an array of the given integer type.
  void add(const std::string& name, DType type, const Shape& shape,
           std::span<const int32_t> values);
  void add(const std::string& name, float value) { add(name, {}, std::span(&value, 1)); }
  // Maps as (items, channels, ...) of the rank that `like` has.
  void add(const std::string& name, const Maps& maps, int rank);
  void add(const std::string& name, const IntMaps& maps, int rank);

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  template <class T>
  void put(const std::string& name, DType type, const Shape& shape, std::span<const T> values);
  std::vector<Tensor> tensors_;
};

}  // namespace edgetwin::train
