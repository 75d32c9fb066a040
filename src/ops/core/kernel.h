// What an operator of the graph becomes before it runs: everything is checked and computed once
// (prepare), and what is left only runs (kernel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/finding.h"
#include "base/parallel.h"
#include "base/result.h"
#include "graph/graph.h"
#include "numerics/edgetpu_options.h"

namespace edgetwin::ops {

struct KernelOptions {
  bool fast = true;      // false: only the plain operators, which define the result
  std::string isa = {};  // instruction set of kernels/core/isa.def; empty: the best of this machine
  int threads = 1;       // scratch memory is sized for as many
  int runtime = 0;       // version of the target's runtime: 30309 is 3.3.9; 0: the newest known
  bool allow_undefined = false;  // run operators whose result the target leaves undefined
  numerics::EdgetpuOptions edgetpu = {};
  bool once = false;  // the plan runs once: nothing is made for it that one run does not pay back
  // ESP-DL: Add and Sub of unequal exponents as their quantizer means them, in real numbers.
  bool real_additions = false;
};

// The graph as far as it is known while operators are prepared one after another.
class OpContext {
 public:
  OpContext(const Graph& graph, size_t op_index, const std::vector<Shape>& shapes,
            const std::vector<std::shared_ptr<const Bytes>>& constants,
            const KernelOptions& options)
      : graph_(graph),
        index_(op_index),
        shapes_(shapes),
        constants_(constants),
        options_(options) {}

  const Graph& graph() const { return graph_; }
  const Op& op() const { return graph_.ops[index_]; }
  const KernelOptions& options() const { return options_; }
  std::string label() const { return op_label(graph_, index_); }

  size_t input_count() const { return op().inputs.size(); }
  size_t output_count() const { return op().outputs.size(); }
  bool has_input(size_t i) const { return op().has_input(i); }
  const Value& input(size_t i) const { return graph_.value(op().inputs[i]); }
  const Value& output(size_t i) const { return graph_.value(op().outputs[i]); }
  const Shape& input_shape(size_t i) const { return shapes_[static_cast<size_t>(op().inputs[i])]; }

  // The bytes of a constant operand, or of one computed from constants; null otherwise.
  const Bytes* constant(size_t i) const {
    return has_input(i) ? constants_[static_cast<size_t>(op().inputs[i])].get() : nullptr;
  }
  // The operator's look-up table; null where it has none.
  const Value* table() const { return op().table == kAbsent ? nullptr : &graph_.value(op().table); }
  // A constant int32 or int64 operand as numbers. Errors: op_constant, op_type.
  Result<std::vector<int64_t>> constant_integers(size_t i, std::string_view what) const;

  // An error placed at this operator.
  Error error(ErrorCode code, std::string message) const {
    return Error(code, std::move(message)).in_layer(label());
  }
  // "input 1 int16, output int8 are not supported": op_type naming all operand types.
  Error unsupported_types() const;

 private:
  const Graph& graph_;
  size_t index_;
  const std::vector<Shape>& shapes_;
  const std::vector<std::shared_ptr<const Bytes>>& constants_;
  const KernelOptions& options_;
};

// Where the operands of one run are. Shapes and types are those of prepare.
struct Args {
  std::byte* const* inputs;  // null where absent; constants and activations must not be written
  std::byte* const* outputs;
  std::byte* scratch;  // Prepared::scratch_bytes, 64-byte aligned
  ThreadPool& pool;

  template <class T>
  const T* input(size_t i) const {
    return reinterpret_cast<const T*>(inputs[i]);
  }
  // Of a variable that the operator updates.
  template <class T>
  T* state(size_t i) const {
    return reinterpret_cast<T*>(inputs[i]);
  }
  template <class T>
  T* output(size_t i) const {
    return reinterpret_cast<T*>(outputs[i]);
  }
};

// Fails only over data (op_data); everything else was checked by prepare. A std::function that is
// moved alone: there are a thousand of them, and each would have code to be copied and a name.
class Kernel {
 public:
  Kernel() = default;
  Kernel(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): none
  template <class F>
  requires std::is_invocable_r_v<Status, F&, const Args&> Kernel(
      F f)  // NOLINT(google-explicit-constructor): a lambda is one
      : state_(new F(std::move(f))),
        call_([](void* state, const Args& args) { return (*static_cast<F*>(state))(args); }),
        drop_([](void* state) { delete static_cast<F*>(state); }) {}
  Kernel(Kernel&& other) noexcept { swap(other); }
  Kernel& operator=(Kernel&& other) noexcept {
    Kernel taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Kernel() {
    if (drop_ != nullptr) drop_(state_);
  }

  explicit operator bool() const { return call_ != nullptr; }
  Status operator()(const Args& args) const { return call_(state_, args); }

 private:
  void swap(Kernel& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(call_, other.call_);
    std::swap(drop_, other.drop_);
  }

  void* state_ = nullptr;
  Status (*call_)(void*, const Args&) = nullptr;
  void (*drop_)(void*) = nullptr;
};

struct Prepared {
  std::vector<Shape> output_shapes;  // one per output of the operator
  Kernel run;
  size_t scratch_bytes = 0;
  std::string path = "plain";  // which implementation: "plain", "avx512_vnni", …
  bool packed = false;         // `run` has its own copy of operand 1, and no more reads it
  int64_t macs = 0;            // multiply-accumulates of one run; 0 where the word has no meaning
  std::vector<Finding> findings;  // what a user should know about this operator's arithmetic
  // Called after each run: appends what the data of that run showed. May be empty.
  std::function<void(std::vector<Finding>&)> after_run;
};

using PrepareFn = Result<Prepared> (*)(const OpContext&);

}  // namespace edgetwin::ops
