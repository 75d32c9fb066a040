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

// How the numbers of transforms stand in a tensor.
struct FftPairs {
  int64_t batch = 0, size = 0;
  bool operator==(const FftPairs&) const = default;
};
// [batch, N, 2]; [batch, 2N], of the flat matrix form; [2N, 1, 1], as the MAX78000 and MAX78002
// have their channels. Real and imaginary part stand beside each other in each. Nothing for other
// shapes, and where N is no power of two.
std::optional<FftPairs> pairs_of(const Shape& shape);

// Fills tensors of such a shape of int8, int16, uint8 or float32.
class FftPacking {
 public:
  // `like` has type, shape and quantization of the network's input. Error: template_argument where
  // pairs_of has nothing, or for other types.
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

// The numbers of an output, batch * N of them; int32 too. Error: template_argument for another
// shape or type.
Result<std::vector<std::complex<float>>> unpack(const Tensor& spectrum);

}  // namespace edgetwin::signals
