// Whether a table has the length that its step needs: N segments have N + 1 ends.
// docs/lut.md, chapter 4; specification 5.6.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lut/sweep.h"
#include "tensor/tensor.h"

namespace edgetwin::lut {

struct Fencepost {
  bool complete = true;  // nothing below is of interest then
  int64_t count = 0;
  int derived_step = 1;                   // what the runtime takes
  std::optional<int> intended_step;       // what the exporter meant, as far as it can be known
  int64_t needed = 0;                     // entries of the intended step; 0 if unknown
  bool runs = true;                       // false: the nearest rule stops at an assertion
  int64_t reads_beyond = 0;               // inputs that read after the last entry
  int first_beyond = 0, last_beyond = 0;  // the first and the last of them
  int64_t undefined = 0;                  // of these, where what they read there matters
  int64_t wrong = 0;                      // further inputs with another output than intended
  int largest_wrong = 0;                  // by how much at most
  std::vector<std::string> proof;         // the calculation, a line each

  // lut_fencepost with the proof as its details. Only if not complete.
  Error error() const;
};

// `declared_step`: the step that a node's attribute states, if there is one; it decides only where
// the length is that of no table. Errors: lut_table.
Result<Fencepost> check_fencepost(const Tensor& table, LutRule rule, Rounding ties,
                                  std::optional<int> declared_step = {});

}  // namespace edgetwin::lut
