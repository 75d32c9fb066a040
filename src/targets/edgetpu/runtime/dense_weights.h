// The weights of a compiled model that is one fully connected layer: packed as the chip keeps them,
// without reading the file again.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "targets/edgetpu/driver/device_model.h"
#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

class DenseWeights {
 public:
  // `model` is of `file`, whose weights are cached and which has one dense layer with one scale per
  // row. Error: device_request, with what is not so.
  static Result<DenseWeights> make(const darwinn::File& file,
                                   std::shared_ptr<const DeviceModel> model);

  int rows() const { return shape_.out; }
  int columns() const { return shape_.in; }
  // Real value of one step of a row's weights, as set now.
  const std::vector<float>& scales() const { return scales_; }
  bool has_bias() const;

  // The model with these weights, row by row: rows() * columns() of them. The second form also sets
  // the scales, one per row. Error: device_request.
  Result<std::shared_ptr<const DeviceModel>> with(std::span<const int8_t> weights);
  Result<std::shared_ptr<const DeviceModel>> with(std::span<const int8_t> weights,
                                                  std::span<const float> scales);
  // The model and the scales of the file.
  std::shared_ptr<const DeviceModel> reset();

 private:
  DenseWeights() = default;

  std::shared_ptr<const DeviceModel> original_;
  BlockShape shape_;
  BlockContent content_, original_content_;
  Bytes packed_;  // as the device keeps them
  float input_scale_ = 1.0F, output_scale_ = 1.0F;
  std::vector<float> scales_, original_scales_;
};

}  // namespace edgetwin::edgetpu
