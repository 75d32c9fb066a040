// Samples to the input of a transform, and its output to numbers.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signals/fft/options.h"
#include "tensor/tensor.h"

namespace edgetwin::signals {

// In which order a network takes the samples of a transform.
enum class InputOrder : uint8_t { natural, bit_reversed };
std::string_view name(InputOrder order);
std::optional<InputOrder> input_order(std::string_view word);
InputOrder input_order(FftForm form);

// Fills tensors of [batch, N, 2] of int8, int16, uint8 or float32.
class FftPacking {
 public:
  // `like` has type, shape and quantization of the network's input. Error: template_argument where
  // it is not [batch, N, 2] with N a power of two, or of another type.
  static Result<FftPacking> create(const Tensor& like, InputOrder order);

  size_t size() const { return size_; }
  size_t batch() const { return batch_; }
  // Exactly batch * size samples. Rounded half to even; numbers beyond the range are cut off, and
  // counted. NaN does not get here: readers refuse it.
  void pack(std::span<const std::complex<float>> samples, Tensor& to);
  uint64_t cut_off() const { return cut_off_; }

 private:
  FftPacking() = default;
  template <class T>
  void pack_as(std::span<const std::complex<float>> samples, std::span<T> to);

  size_t size_ = 0, batch_ = 0;
  std::vector<size_t> places_;  // by sample: where it stands in its transform
  float scale_ = 1.0F;
  int64_t zero_point_ = 0;
  uint64_t cut_off_ = 0;
};

// The numbers of an output, batch * N of them. Error: template_argument for another shape or type.
Result<std::vector<std::complex<float>>> unpack(const Tensor& spectrum);

}  // namespace edgetwin::signals
