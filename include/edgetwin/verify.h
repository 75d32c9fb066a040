// Any two runners side by side: equal or not, where first, by how much.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"
#include "edgetwin/runner.h"

namespace edgetwin {

struct TensorAgreement {
  std::string layer;  // as A calls it
  std::string type;   // LayerResult::type; empty: an output that is no layer
  std::string name;   // of the tensor
  bool output = false;
  std::string problem;  // shapes differ: nothing below is meaningful
  // The integers stand for different numbers in A and B: real numbers were compared instead.
  bool as_reals = false;
  int64_t elements = 0, different = 0;
  int64_t first_index = -1;    // of the first element that differs, in C order
  std::string first_position;  // "(0, 3, 1, 2)" of the first element that differs
  double first_a = 0, first_b = 0;
  double largest = 0;  // absolute difference

  bool equal() const { return problem.empty() && different == 0; }
};

struct Agreement {
  std::vector<TensorAgreement> tensors;  // in A's order: layers, then outputs that are no layers
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

// One of two things to compare: a file with a network, or a folder of .npy files (a trace, or the
// outputs of `run`).
struct Side {
  std::string path;
  OpenOptions open;
  RunnerOptions run;
};

struct Comparison {
  std::unique_ptr<Runner> a, b;
  Inputs inputs;  // of the side that they were read for; none where both are recorded
  Agreement agreement;
};

struct ComparisonOptions {
  std::vector<std::string> inputs;  // words of read_inputs()
  PictureOptions picture;
  double tolerance = 0.0;
};

// Opens both sides as they belong together, gives them the same numbers, and compares what they
// compute, layers included.
// - Beside a compiled Edge TPU model, a network whose numerics are not named computes in those that
//   the compiled one showed (Run::numerics).
// - A register program beside its network, a description of the MAX7800x, is read as a program of
//   that network (OpenOptions::network); it brings its own input, so the network takes its sample.
// - Without inputs a network takes its sample, else `xs32:1`.
// Errors: those of Network::open, recorded_runner, read_inputs, same_inputs and Runner::run; usage
// where inputs are given that neither side takes.
EDGETWIN_API Result<Comparison> compare_files(const Side& a, const Side& b,
                                              const ComparisonOptions& options = {});

}  // namespace edgetwin
