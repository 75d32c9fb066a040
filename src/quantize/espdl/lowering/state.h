// The network on its way from float operators in ONNX's order of axes to what the chip runs: a list
// of operators that passes insert into, each operand with the quantization that decides its
// exponent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/espdl/document/table_origin.h"
#include "quantize/espdl/plan/plan.h"

namespace edgetwin::quantize {

using Perm = std::vector<int>;  // stored axis i is the network's axis perm[i]
Perm identity_perm(int rank);
Perm channels_last_perm(int rank);  // identity below three axes
bool is_identity(const Perm& perm);
Shape permuted(const Shape& shape, const Perm& perm);

struct Node {
  Op op;
  AxisRule layout = AxisRule::restore;
  int bits = 0;  // 0: float
  std::vector<QuantId> inputs, outputs;
  Perm perm;                  // of Transpose: output axis i is input axis perm[i]
  bool erased = false;        // merged into another
  std::string original_type;  // of a LUT node: the function in its table
  std::string formula;        // … or the formula that takes its place
  Attrs original_attrs;
};

// Nodes are in the order in which they were made: the network's own first.
class LoweringState {
 public:
  explicit LoweringState(const Plan& plan);

  const Plan& plan() const { return plan_; }
  const Settings& settings() const { return plan_.settings(); }
  Graph graph;  // values, inputs, outputs; its operators are `nodes`
  std::vector<Node> nodes;
  // By value; nothing where no operator has said anything yet (inputs of the network).
  std::vector<std::optional<Perm>> perms;
  std::vector<ValueId> origin;  // by value
  std::vector<Finding> findings;
  std::map<std::string, espdl::TableOrigin, std::less<>> tables;  // of LUT nodes, by output's name

  ValueId add_value(Value v, Perm perm, ValueId from);
  // A tensor between two operators, named as upstream's exporter names them, of the type and shape
  // of `like`.
  ValueId add_between(ValueId like, const Shape& shape);
  ValueId add_constant(std::string name, DType dtype, Shape shape, Bytes data);
  std::string next_operator() { return "PPQ_Operation_" + std::to_string(operators_++); }
  std::string next_variable() { return "PPQ_Variable_" + std::to_string(variables_++); }
  void skip_variables(int count) { variables_ += count; }

  std::vector<size_t> consumers(ValueId id) const;  // nodes, each once
  std::optional<size_t> producer(ValueId id) const;
  bool is_input(ValueId id) const;
  bool is_output(ValueId id) const;
  bool single_use(ValueId id) const { return !is_output(id) && consumers(id).size() == 1; }
  const Perm& perm_of(ValueId id);  // settles an open one as the network's own order
  void set_perm(ValueId id, const Perm& perm);
  // A Transpose in front of one operand; its quantization is the operand's.
  void insert_transpose(size_t node, size_t operand, const Perm& wanted);
  // In running order: first in, first out from the operators that wait for no other.
  std::vector<size_t> order() const;

 private:
  void name_decompositions();

  const Plan& plan_;
  int operators_ = 0;
  int variables_ = 0;
};

// Steps, in this order.
void fuse_relu(LoweringState& state);  // fuse.cc
void make_luts(LoweringState& state);  // fuse.cc: activations of 16 bits that become LUT nodes
void order_matrices(
    LoweringState& state);  // matmul.cc: computed second operands in the chip's order
Status change_layout(LoweringState& state);     // layout.cc
void merge_transposes(LoweringState& state);    // transposes.cc
void insert_conversions(LoweringState& state);  // convert.cc
Result<Graph> finish(LoweringState& state);     // finish.cc: integers, tables, attributes, order

}  // namespace edgetwin::quantize
