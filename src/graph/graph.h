// The one internal form of a network, whatever file it came from. The graph says in which order its
// axes are: those of TensorFlow Lite, ESP-DL and all compiled networks are nhwc, those of ONNX nchw
// (formats/onnx/import/onnx.h lists what else differs there). Nothing here belongs to a target:
// what a chip adds (processors, offsets, layouts) lives in its own folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"
#include "graph/attrs.h"
#include "graph/op_kind.h"
#include "tensor/quant.h"
#include "tensor/shape.h"

namespace edgetwin {

// Index into Graph::values; kAbsent stands for an optional operand that is not there.
using ValueId = int32_t;
inline constexpr ValueId kAbsent = -1;

// A tensor of the network: an activation, a constant, or a variable that keeps its content.
struct Value {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;            // -1: a size not known before the run
  bool has_shape = true;  // false: not even the rank is known
  Quant quant;
  // Content of a constant, shared so that copies of a graph are cheap; null for all others.
  std::shared_ptr<const Bytes> constant;
  bool is_variable = false;  // kept between runs, zero (that is, real 0) at the start

  bool is_constant() const { return constant != nullptr; }
};

struct Op {
  OpKind kind = OpKind::opaque;
  int version = 1;  // of the operator in its file format
  Attrs attrs;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> intermediates;
  std::string name;  // as the file gives it; may be empty
  std::string type;  // as the file calls the operator; empty: by its TensorFlow Lite name
  // A constant table of results that the target may look up instead of computing the function.
  ValueId table = kAbsent;

  // The attributes as the struct that op.def names for the kind.
  template <class A>
  const A& as() const {
    return *std::get_if<A>(&attrs);
  }
  bool has_input(size_t i) const { return i < inputs.size() && inputs[i] != kAbsent; }
};

// The order of the axes of pictures, and of the filters of convolutions.
enum class Layout : uint8_t {
  nhwc,  // activations N H W C, filters O H W I, of depthwise convolutions 1 H W O
  nchw,  // activations N C H W, filters O I/groups H W, of depthwise convolutions O 1 H W
};
std::string_view name(Layout layout);

struct Graph {
  Layout layout = Layout::nhwc;
  std::string name;
  std::vector<Value> values;
  std::vector<Op> ops;  // in an order in which they can run
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
};

struct NamedBytes {
  std::string name;
  Bytes data;
  bool operator==(const NamedBytes&) const = default;
};

struct Signature {
  struct Binding {
    std::string name;
    uint32_t value = 0;
    bool operator==(const Binding&) const = default;
  };
  std::string key;
  uint32_t graph = 0;
  std::vector<Binding> inputs;
  std::vector<Binding> outputs;
  bool operator==(const Signature&) const = default;
};

// A model file: one main graph (the first) and perhaps others that it may call.
struct Model {
  std::string format;  // "tflite", "espdl", …
  std::string description;
  std::vector<Graph> graphs;
  std::vector<NamedBytes> metadata;
  std::vector<Signature> signatures;
  std::vector<Finding> findings;  // what the reader has to say without failing

  const Graph& main() const { return graphs.front(); }
};

// "#12 CONV_2D 'MobilenetV1/Conv2d_3'": the operator in the words of the user's model. The name is
// the operator's own, or that of its first output.
std::string op_label(const Graph& graph, size_t op_index);
// The operator's name in its format: "CONV_2D", or the custom name.
std::string op_type_name(const Op& op);

// Checks what every user of a graph relies on: indices, arity, attribute struct, order (each value
// made once, before its use), quantization well formed, constants as long as their shapes, and the
// filters of convolutions in the order of the graph's layout where their sizes can tell.
// Errors: graph_*, tflite_size. Opaque operators are allowed.
Status verify_graph(const Graph& graph);

// For what computes or rewrites graphs of one layout only. Error: graph_layout.
Status require_layout(const Graph& graph, Layout wanted);

// A table of the operators, one per line, and of the inputs and outputs: for people.
std::string print(const Graph& graph);

// True if both mean the same: operators, attributes, values with names, types, shapes,
// quantization and constant bytes. If not, `difference` (may be null) says where.
bool equal(const Graph& a, const Graph& b, std::string* difference);

}  // namespace edgetwin
