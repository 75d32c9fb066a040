// Products of 16-bit numbers from bytes, on a chip that lets its sums out: the last layer of a
// network of the MAX78000 may be 32 bits wide.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::signals {

// A number is 256 times a byte and a byte, both signed; the high one has no 128.
inline constexpr int kLeastWide = -32768, kMostWide = 32639;
inline constexpr size_t kMostWideSide = 256;  // two networks of bytes, each in the kernels

// W x on the twin of the MAX78000: four products of bytes with sums of 32 bits, added with their
// weights of 65536, 256, 256 and 1. Exact.
class WideProduct {
 public:
  // Row by row; rows and columns: 4 to 64, or multiples of 64 up to kMostWideSide. Errors:
  // template_argument for other sizes and numbers beyond kLeastWide to kMostWide, those of the
  // chip.
  static Result<WideProduct> create(std::span<const int16_t> matrix, size_t rows, size_t columns);

  // Errors: template_argument for another length, and as above.
  Result<std::vector<int64_t>> multiply(std::span<const int16_t> x);
  // The product of the high bytes alone, in the same unit: what eight bits give.
  Result<std::vector<int64_t>> high_bytes(std::span<const int16_t> x);

 private:
  struct Part {  // one matrix of bytes as a network
    std::shared_ptr<const max78::LoadedNetwork> network;
    std::unique_ptr<max78::Simulation> simulation;
  };
  static Result<Part> part_of(const std::vector<int8_t>& bytes, size_t rows, size_t columns);
  Status add(const Part& part, const std::vector<int8_t>& x, int64_t weight,
             std::vector<int64_t>& to);
  Status check(std::span<const int16_t> x) const;

  size_t rows_ = 0, columns_ = 0;
  Part high_, low_;
};

}  // namespace edgetwin::signals
