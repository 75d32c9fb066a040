// A network as a table of tensors with numbers: what interpreters of TensorFlow Lite show. Inputs
// are set by number, sizes can be changed, results are read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgetwin/device.h"
#include "edgetwin/export.h"
#include "edgetwin/network.h"
#include "edgetwin/runner.h"

namespace edgetwin {

struct TensorsOptions {
  RunnerOptions run;             // keep_layers: every tensor can be read after a run
  int graph = 0;                 // of a .tflite file: which subgraph
  std::optional<Device> device;  // instead of run.where
};

// One row of the table. Unpacked elements: int4 has a byte each.
struct TensorRow {
  std::string name;
  DType dtype = DType::float32;
  bool has_shape = true;  // false: not known before allocate()
  Shape shape, signature;
  Quant quant;
  bool constant = false, input = false, output = false, variable = false;
  bool readable = false;  // after a run
  uint64_t bytes = 0;
};

// Not to be called from two threads at once, but for cancel().
class EDGETWIN_API Tensors {
 public:
  // Of a .tflite file the numbers are the file's, of others running numbers. Nothing is planned
  // yet. Errors: usage; those of Network::runner for files whose networks are no graphs.
  static Result<Tensors> make(const Network& network, const TensorsOptions& options = {});
  Tensors(Tensors&&) noexcept;
  Tensors& operator=(Tensors&&) noexcept;
  ~Tensors();

  std::span<const int32_t> inputs() const;
  std::span<const int32_t> outputs() const;
  size_t count() const;
  // Error: tensor_index.
  Result<const TensorRow*> row(int32_t tensor) const;

  // The shape of an input; allocate() is needed again. `strict`: only sizes that the file leaves
  // open. Errors: tensor_index, input_shape.
  Status resize(int32_t tensor, const Shape& shape, bool strict);
  // Plans. Cheap where nothing changed; inputs that were not resized keep their content. Errors:
  // those of planning; op_unsupported names a custom operator that is not known.
  Status allocate();
  bool allocated() const;

  // The memory of a tensor: 64-byte aligned, in place until the next resize or allocation that
  // changes something. Errors: tensor_index, tensor_state.
  struct Memory {
    std::span<std::byte> bytes;
    bool writable = false;
  };
  Result<Memory> memory(int32_t tensor);

  // Errors: tensor_state before allocate(), cancelled, those of Runner::run.
  Status invoke();
  // The run that is under way ends before its next operator (in the machine and on a device: when
  // it is done). From any thread.
  void cancel();
  Status reset_variables();

  // What the last run showed; before it what preparing showed.
  std::span<const Finding> findings() const;
  // Of the last run, in order; empty without one. Layers only with RunnerOptions::keep_layers.
  const Run& last_run() const;
  double seconds() const;  // of the last run
  const std::string& description() const;
  // JSON about the network as interpreters show it: subgraphs, signatures, operators with the
  // numbers of their tensors.
  std::string structure_json() const;

  struct Impl;

 private:
  explicit Tensors(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin
