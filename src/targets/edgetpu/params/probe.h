// Which byte of the parameters is which weight, and back; and the matrices by which one finds out
// on a device: one number that is not zero, rows shifted by one, one raw byte everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/edgetpu/params/block.h"
#include "tensor/tensor.h"

namespace edgetwin::edgetpu {

// A weight in the order of the chip: output channel, row and column of the window, input channel (0
// of depthwise layers).
struct WeightPlace {
  int out = 0, row = 0, column = 0, in = 0;
  bool operator==(const WeightPlace&) const = default;
};

// The byte that holds a weight, from the start of the layer. Error: bad_value where the layer has
// no such weight.
Result<size_t> offset_of(const BlockShape& shape, const WeightPlace& place);

struct ByteMeaning {
  enum class Kind : uint8_t { weight, scale, bias, zero_point, padding };
  Kind kind = Kind::padding;
  WeightPlace place;  // of a weight
  int channel = 0;    // of the others but padding
  int byte = 0;       // which of the four bytes of a number
};
// What the byte at an offset from the start of the layer is.
ByteMeaning meaning_of(const BlockShape& shape, size_t offset);
std::string to_text(
    const ByteMeaning& meaning);  // "weight out 3, in 5", "bias of channel 2, byte 0"

// The same for many bytes of one layer, of at most 2^32 weights.
class BlockMap {
 public:
  explicit BlockMap(const BlockShape& shape);
  ByteMeaning at(size_t offset) const;

 private:
  BlockShape shape_;
  Bytes weight_;                 // by offset: 1 where a weight stands
  std::vector<uint32_t> index_;  // by offset: of the weight
};

// Square matrices of int8, [out][in], for dense layers of `n` inputs and outputs: "identity",
// "shift_plus1" (output k is input k - 1, around the end), "shift_minus1", "single_hot" (only
// `hot`), "ones"; all of `value`. Error: bad_value for another name or a place outside.
Result<Tensor> probe_matrix(std::string_view name, int n, int value, const WeightPlace& hot);
inline constexpr std::string_view kProbeMatrices[] = {"identity", "shift_plus1", "shift_minus1",
                                                      "single_hot", "ones"};

}  // namespace edgetwin::edgetpu
