// y = W x with weights that are replaced while the model stays on the device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "targets/edgetpu/driver/device.h"
#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

// A compiled fully connected layer as a multiplier of matrices.
class MatMulEngine {
 public:
  // From a compiled model whose weights are cached and that has one dense layer with one scale per
  // row. Errors: device_request, those of DeviceModel::make.
  static Result<MatMulEngine> make(const darwinn::File& file,
                                   std::shared_ptr<EdgeTpuDevice> device);

  int rows() const { return shape_.out; }
  int columns() const { return shape_.in; }
  float input_scale() const { return input_.scale; }
  int input_zero_point() const { return input_.zero_point; }
  float output_scale() const { return output_.scale; }
  int output_zero_point() const { return output_.zero_point; }
  size_t parameter_bytes() const { return original_->parameters().size(); }
  // Real value of one step of a row's weights, as set now.
  const std::vector<float>& weight_scales() const { return scales_; }
  struct Range {
    float low = 0, high = 0;
  };
  // What weights of a row can be without being limited.
  Range weight_range(int row) const;

  // Weights row by row. Real numbers are rounded half to even to the scales that are set, or to
  // those of each row's own largest value. The device gets them before the next product.
  // Errors: module_input, for a wrong size, values that are not finite.
  enum class Scales : uint8_t { kept, own };
  Status set_weights(std::span<const float> weights, Scales scales = Scales::kept);
  Status set_weights_int8(std::span<const int8_t> weights);
  // As the device keeps them, for those who have made them elsewhere.
  Status set_weights_raw(Bytes parameters);
  // Those of the file.
  void reset_weights();
  // Sends them now instead of before the next product.
  Status upload() { return device_->load(model_); }

  // One vector of real numbers. Errors: module_input, device_*.
  Result<std::vector<float>> multiply(std::span<const float> x);
  // Bytes as the device computes them.
  Result<Bytes> multiply_raw(ByteSpan x);
  // Several vectors, of which the next is on its way while one is computed.
  Result<std::vector<std::vector<float>>> multiply_batch(
      std::span<const std::vector<float>> vectors);

 private:
  MatMulEngine() = default;
  Status set(std::span<const int8_t> weights);
  Result<Bytes> quantized(std::span<const float> x) const;
  std::vector<float> real(ByteSpan y) const;

  std::shared_ptr<EdgeTpuDevice> device_;
  std::shared_ptr<const DeviceModel> original_, model_;
  LayerPort input_, output_;
  BlockShape shape_;
  BlockContent content_, original_content_;
  Bytes packed_;  // as the device keeps them
  std::vector<int8_t> integers_;
  std::vector<float> scales_, original_scales_;
};

}  // namespace edgetwin::edgetpu
