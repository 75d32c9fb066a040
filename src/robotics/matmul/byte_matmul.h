// Products of 16-bit integers on a machine that computes in bytes. Splitting operands into bytes
// and adding the four products is exact where the sums of 32 bits can be read. A chip that hands
// out bytes only is exact in digits so small that every sum stays below 256; that is done here, and
// everything else refused. docs/robotics.md has the proof and the table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "robotics/engine/twin_engine.h"

namespace edgetwin::robotics {

// How two numbers are cut: digits of so many bits, and how many products that makes.
struct DigitSplit {
  int weight_bits = 0, input_bits = 0;
  int products = 0;
  int64_t largest_sum = 0;  // of one product: at most 255
};

// The split with the fewest products of operands of `bits` bits for a matrix of n columns; error
// module_weights where not even digits of one bit fit.
Result<DigitSplit> digit_split(int n, int weight_bits, int input_bits);

// One row per size from which another split is needed, up to the last possible one.
struct ExactRange {
  int columns = 0;  // up to this many
  DigitSplit split;
};
std::vector<ExactRange> exact_ranges(int weight_bits, int input_bits);

// Unsigned 16-bit matrix times vector by four products of bytes whose 32-bit sums are known. Error:
// module_weights beyond the columns for which a sum of bytes stays below 2^32.
inline constexpr int kMaxByteColumns = 66051;  // 2^32 / 255^2
Result<std::vector<uint64_t>> recombine_bytes(std::span<const uint16_t> matrix, size_t rows,
                                              std::span<const uint16_t> x);

// The same on an engine that only gives bytes.
class ByteMatMul {
 public:
  // A square matrix of n rows of numbers below 2^weight_bits, times numbers below 2^input_bits.
  static Result<ByteMatMul> create(int n, int weight_bits, int input_bits,
                                   const TwinOptions& options = {});
  const DigitSplit& split() const { return split_; }
  // Exact. Errors: module_weights, module_input for numbers beyond their bits.
  Result<std::vector<uint64_t>> multiply(std::span<const uint32_t> matrix,
                                         std::span<const uint32_t> x);

 private:
  ByteMatMul() = default;
  size_t n_ = 0;
  int weight_bits_ = 0, input_bits_ = 0;
  DigitSplit split_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace edgetwin::robotics
