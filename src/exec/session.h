// Runs a graph in one arithmetic. A Session is planned once (every operator checked, activations
// placed in one arena) and then run any number of times; the results do not depend on the number
// of threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "graph/graph.h"
#include "ops/core/kernel.h"
#include "tensor/tensor.h"

namespace edgetwin::exec {

struct Options {
  std::string numerics = "tflite";  // a row of numerics/numerics.def
  int threads = 1;                  // 1 to 256
  bool fast = true;                 // false: plain operators only
  std::string isa = {};   // force an instruction set of kernels/core/isa.def; empty: the best
  bool keep_all = false;  // every tensor keeps its own memory, for tracing
  int runtime = 0;        // version of the target's runtime: 30309 is 3.3.9; 0: the newest
  bool allow_undefined = false;  // run operators whose result the target leaves undefined
  bool real_additions = false;   // ESP-DL: unequal exponents of Add and Sub count
  bool once = false;  // planned for one run: tables that one run does not pay back are not made
  // Called while planning for constants of which no kernel reads the bytes any more, since each has
  // them in its own order. They are then the caller's alone.
  std::function<void(ValueId)> given_back = {};
};

// One operator of the plan.
struct Step {
  size_t op_index = 0;
  std::string label;
  std::string path;  // implementation: "plain", "avx512_vnni", …
  int64_t macs = 0;
  int64_t out_bytes = 0;
  bool folded = false;  // all operands constant: computed while planning
};

// Where a value lives during a run.
struct Placement {
  enum class Kind : uint8_t { none, constant, arena, variable, input };
  Kind kind = Kind::none;
  int64_t offset = 0;  // in the arena
  int64_t bytes = 0;
  int first_step = -1;  // first and last step that touch it
  int last_step = -1;
};

struct MemoryPlan {
  int64_t arena_bytes = 0;       // activations (inputs and outputs too) and scratch, after planning
  int64_t unplanned_bytes = 0;   // the same without sharing
  int64_t peak_lower_bound = 0;  // largest sum of tensors alive at one step: no plan can be smaller
  int64_t constant_bytes = 0;
  std::vector<Placement> placements;  // by value
};

class Session {
 public:
  // Errors: numerics_unknown, graph_*, op_*, out_of_memory.
  static Result<Session> create(std::shared_ptr<const Graph> graph, const Options& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Graph& graph() const;
  const Options& options() const;
  const std::vector<Step>& steps() const;
  const MemoryPlan& memory() const;
  const std::vector<Finding>& findings() const;
  // The shape of a value as planned: the file's, or inferred where the file leaves it open.
  const Shape& shape(ValueId id) const;

  // Copies raw bytes of the input's own type and size. Errors: input_shape.
  Status set_input(size_t index, ByteSpan data);

  // Called after each step with its index in steps() and the time it took.
  using Observer = std::function<void(size_t step, std::chrono::nanoseconds elapsed)>;
  // Runs all steps. Variables keep their content from run to run. Error: op_data.
  Status run(const Observer& observer = nullptr);
  // The same until `stop` is set, from whatever thread: false if steps were left out.
  Result<bool> run_until(const std::atomic<bool>& stop);
  // What the data of the last run showed, such as sums that left the range of the chip's lanes.
  const std::vector<Finding>& run_findings() const;
  // Sets variables back to real 0 (their zero point).
  void reset_variables();

  // Valid until the next run or destruction. Any value after run() with keep_all; without, only
  // constants, graph inputs and outputs.
  ByteSpan bytes(ValueId id) const;
  // A copy with name, type, shape and quantization.
  Tensor tensor(ValueId id) const;
  Tensor output(size_t index) const { return tensor(graph().outputs[index]); }

 private:
  Result<bool> run_steps(const Observer& observer, const std::atomic<bool>* stop);
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin::exec
