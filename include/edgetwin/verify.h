// Any two runners side by side: equal or not, where first, by how much.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/runner.h"

namespace edgetwin {

struct TensorAgreement {
  std::string layer;  // as A calls it
  std::string name;   // of the tensor
  bool output = false;
  std::string problem;  // shapes differ: nothing below is meaningful
  // The integers stand for different numbers in A and B: real numbers were compared instead.
  bool as_reals = false;
  int64_t elements = 0, different = 0;
  std::string first_position;  // "(0, 3, 1, 2)" of the first element that differs
  double first_a = 0, first_b = 0;
  double largest = 0;  // absolute difference

  bool equal() const { return problem.empty() && different == 0; }
};

struct Agreement {
  std::vector<TensorAgreement> tensors;  // in A's order: layers, then the outputs
  std::optional<size_t> first;           // of `tensors`: the first that differs
  size_t compared = 0, different = 0;
  bool outputs_equal = false;  // every output has a partner and is equal
  // Outputs without a partner. Layers without one are not listed: two forms of a network need not
  // have the same ones.
  std::vector<std::string> only_in_a, only_in_b;
  std::vector<Finding> findings;  // of both runs

  // Equal outputs, at least one of them; a comparison of nothing is not an agreement.
  bool equal() const { return outputs_equal && only_in_a.empty() && only_in_b.empty(); }
};

// Runs both, and pairs outputs by name, those that are left in order; layers by the tensor's name.
// `tolerance` 0: bit for bit. Errors: those of Runner::run.
EDGETWIN_API Result<Agreement> compare(Runner& a, std::span<const Tensor> inputs_a, Runner& b,
                                       std::span<const Tensor> inputs_b, double tolerance = 0.0);

// Of results that are there already.
EDGETWIN_API Agreement compare(const Run& a, const Run& b, double tolerance = 0.0);

}  // namespace edgetwin
