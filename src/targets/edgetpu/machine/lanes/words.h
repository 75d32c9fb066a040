// Products of four lanes with up to four bytes, for many rows of iterations with the same lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/elements/dot_rows.h"

namespace edgetwin::edgetpu::machine {

inline constexpr int kWordLanes = 4;

// What the four lanes multiply with: the numbers of some lines less their zero points.
class WordFactors {
 public:
  // For `length` lines; a lane's four bytes hold `products` numbers of `weight` bytes.
  WordFactors(size_t length, int weight, int products)
      : length_(length), weight_(weight), products_(products), factors_(length * kFactors) {}

  // `lines`: bytes from `base` to each lane 0; `zero`: of each lane. False: a difference is no
  // number of 16 bits.
  bool set(const std::byte* base, const int32_t* lines,
           const std::array<int32_t, kWordLanes>& zero);

  // sums[4 * r + l] = first[l] + the sum over all lines k and bytes i < products of
  // (rows[r][in[k] + i] - input_zero) * that difference. Four bytes are read at each place.
  void multiply(const int32_t* in, int32_t input_zero, const int32_t* first,
                const std::byte* const* rows, size_t count, int32_t* sums) const;

 private:
  static constexpr size_t kFactors = 16;
  bool set_bytes(const std::byte* base, const int32_t* lines,
                 const std::array<int32_t, kWordLanes>& zero);
  bool set_numbers(const std::byte* base, const int32_t* lines,
                   const std::array<int32_t, kWordLanes>& zero);

  size_t length_;
  int weight_, products_;
  std::vector<int16_t> factors_;
  std::array<int32_t, kWordLanes> all_{};  // of a lane's factors
};

}  // namespace edgetwin::edgetpu::machine
