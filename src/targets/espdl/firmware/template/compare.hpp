// Integers of the chip against golden ones: equal, or how many differ and where first.
#pragma once

#include <string>
#include <vector>

#include "dl_tensor_base.hpp"
#include "golden.hpp"

namespace check {

struct Mismatch {
  int64_t index = 0;
  int64_t hw = 0;   // what the chip computed
  int64_t sim = 0;  // what was expected
};

struct Difference {
  static constexpr size_t kShown = 5;

  int64_t checked = 0;          // elements compared
  int64_t count = 0;            // of them differ
  std::vector<Mismatch> first;  // up to kShown
  std::string reason;           // a word, where not the elements differ

  bool equal() const { return count == 0; }
  void add(int64_t index, int64_t hw, int64_t sim);
};

// One thing that is not as it should be: "exponent", hw -7, sim -8.
Difference wrong(const std::string& reason, int64_t hw, int64_t sim);

// By its shape; the field `size` is said to count padding too.
int64_t elements_of(const dl::TensorBase& tensor);

// Element type, exponent and number of elements, without looking at the elements.
Difference compare_form(const GoldenTensor& golden, const dl::TensorBase& tensor);

// The form first, then every element.
Difference compare(const GoldenTensor& golden, dl::TensorBase& tensor);

}  // namespace check
