// From a document to a graph. Every operator is prepared as soon as it is made: that gives the
// shapes of its outputs, checks its operands, and computes it where all of them are constant.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/onnx/document/document.h"
#include "formats/onnx/import/onnx.h"
#include "graph/graph.h"
#include "ops/registry/numerics.h"

namespace edgetwin::onnx {

class Importer {
 public:
  Importer(const Document& document, const ReadOptions& options, const std::string& file)
      : document_(document), options_(options), file_(file) {}

  Result<Model> run();

  const ReadOptions& options() const { return options_; }
  int64_t opset() const { return document_.opset; }
  Graph& graph() { return graph_; }

  Error error(const Node& n, ErrorCode code, std::string message) const;
  Error bad_attribute(const Node& n, const std::string& attribute, const std::string& why) const;
  void finding(const Node& n, Severity severity, std::string message, std::string hint = "");

  // The value of input i. Error: onnx_reference where it is left out or made by nobody.
  Result<ValueId> input(const Node& n, size_t i) const;
  const Value& value(ValueId id) const { return graph_.value(id); }
  const Shape& shape(ValueId id) const { return graph_.value(id).shape; }
  // The constant at input i; null where it is computed or left out.
  const Value* constant(const Node& n, size_t i) const;
  // The numbers of a constant INT32 or INT64 input; nothing where it is left out.
  // Errors: onnx_reference where it is computed, onnx_tensor for another type.
  Result<std::optional<std::vector<int64_t>>> integers(const Node& n, size_t i,
                                                       const char* what) const;

  ValueId add_constant(std::string name, DType dtype, Shape shape, Bytes data);
  ValueId add_floats(std::string name, Shape shape, const std::vector<float>& numbers);
  ValueId add_integers(std::string name, const std::vector<int64_t>& numbers);

  // An operator under way: kind, attributes, inputs. Its outputs are made by emit().
  Op make(const Node& n, OpKind kind) const;
  // Puts the operator into the graph, or computes it. The outputs have the type of the first
  // input unless one is named. Errors: op_*.
  Result<std::vector<ValueId>> emit(const Node& n, Op op, const std::vector<std::string>& outputs,
                                    std::optional<DType> type = std::nullopt);
  // The same with the outputs of the node; the usual end of a lowering.
  Status finish(const Node& n, Op op, std::optional<DType> type = std::nullopt);
  // One operator on the way to the node's result, named after the node.
  Result<ValueId> step(const Node& n, Op op, const std::string& suffix);

  const Passes& passes() const { return options_.passes; }

  // Output i of the node is the value itself.
  Status alias(const Node& n, size_t i, ValueId id);
  Status bind_constant(const Node& n, size_t i, DType dtype, Shape shape, Bytes data);

  // The operator that makes the value, if nothing else needs the value; null otherwise.
  Op* sole_producer(const Node& n, size_t i);
  // Output 0 of the operator goes by the name of the node's output from now on.
  Status rename_output(const Node& n, Op& op);

 private:
  Status take_constants();
  Status take_inputs();
  Result<Shape> input_shape(const ValueInfo& info);
  Status check_operators() const;
  Status take_node(const Node& n);
  Result<bool> evaluate(const Node& n);
  Status take_outputs();
  void check_finite();
  void count_uses();
  ValueId add_value(Value v);
  // --- importer_emit.cc
  Status check_arity(const Node& n, const Op& op, size_t outputs) const;
  bool all_constant(const Op& op) const;
  Status compute(const ops::Prepared& prepared, const Op& op, const std::vector<ValueId>& outputs);

  const Document& document_;
  const ReadOptions& options_;
  const std::string& file_;
  Graph graph_;
  std::vector<Finding> findings_;
  std::map<std::string, ValueId, std::less<>> values_;
  std::map<std::string, int, std::less<>> uses_;
  int64_t folded_bytes_ = 0;
  std::map<ValueId, size_t> producers_;  // index of the operator
  // What a context of the operators wants to know of all values.
  std::vector<Shape> shapes_;
  std::vector<std::shared_ptr<const Bytes>> constants_;
};

// Lowerings, one per group of operators: operators.def says which type uses which.
using LowerFn = Status (*)(Importer&, const Node&);
#define ONNX_LOWERING(name) Status lower_##name(Importer& m, const Node& n);
#define OPERATOR(type, name)
#include "formats/onnx/import/operators.def"
#undef OPERATOR
#undef ONNX_LOWERING

// Computes a node on constants that no operator of the graph stands for: shapes and numbers
// that exporters compute with. False where the node is none of these or not constant.
Result<bool> evaluate_constant(Importer& m, const Node& n);
bool is_constant_operator(std::string_view op_type);

// Spatial attributes, for lowerings with windows.
struct Spatial {
  std::vector<int64_t> kernel, strides, dilations, before, after;  // per axis of the picture
};
// With kernel sizes from the attribute, or from `kernel` where it is missing. Padding is resolved:
// auto_pad, and ceil_mode by padding after the end. Errors: onnx_attribute.
Result<Spatial> spatial(Importer& m, const Node& n, const Shape& in, std::vector<int64_t> kernel);
Padding padding_of(const Spatial& s);

// Operators that the graph has no kind for, made of others that compute the same:
// lower_composed.cc. Gelu by tanh, as its formula says.
Status write_out_gelu(Importer& m, const Node& n);
// A pooling window with its taps apart: what every tap sees, one after the other. Without padding.
Status pool_by_taps(Importer& m, const Node& n, const Spatial& s);

// An attribute that must fit into a small range. Error: onnx_attribute.
Result<int> small_integer(Importer& m, const Node& n, const char* attribute, int64_t otherwise);

}  // namespace edgetwin::onnx
