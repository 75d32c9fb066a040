// Equal or not, and where not first. Equality comes first; ratios are for the reader.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::verify {

// Absolute differences by size. Buckets: 0, 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, 65-128, above; for
// float tensors in units of the largest magnitude of the reference / 256, rounded up.
inline constexpr int kBuckets = 10;
extern const std::array<const char*, kBuckets> kBucketNames;

struct TensorDiff {
  std::string name;
  std::string problem;  // shapes or types differ: nothing below is meaningful
  int64_t elements = 0;
  int64_t different = 0;
  int64_t first_index = -1;    // linear
  std::string first_position;  // "(0, 3, 1, 2)"
  double first_a = 0, first_b = 0;
  std::string first_bits_a, first_bits_b;  // "0x7fc00001"
  bool same_bits = true;                   // also where a tolerance hides differences
  double largest = 0;                      // absolute difference, in steps for integers
  double signal_to_noise_db = 0;  // infinity where equal; NaN where a NaN or infinity takes part
  double unit = 1;                // of the histogram: 1, or the largest magnitude / 256
  std::array<int64_t, kBuckets> histogram = {};

  bool equal() const { return problem.empty() && different == 0; }
};

// `a` is the reference. `tolerance` 0 means bit for bit (NaN equals the same NaN bits); above 0 two
// elements whose values differ by at most as much count as equal.
TensorDiff compare(const Tensor& a, const Tensor& b, double tolerance = 0.0);

struct SetDiff {
  std::vector<TensorDiff> tensors;  // in the order of A
  std::vector<std::string> only_in_a, only_in_b;
  std::optional<size_t> first;  // first differing tensor
  bool equal() const { return !first && only_in_a.empty() && only_in_b.empty(); }
};

// Matches by name; the n-th tensor of a name in A with the n-th of that name in B.
SetDiff compare_sets(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance);

}  // namespace edgetwin::verify
