// The network on its way from float operators in ONNX's order of axes to what the chip runs: a list
// of operators that passes insert into, each operand with the config that decides its exponent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantize/net.h"

namespace edgetwin::quantize {

using Perm = std::vector<int>;  // stored axis i is the network's axis perm[i]
Perm identity_perm(int rank);
Perm channels_last_perm(int rank);  // identity below three axes
bool is_identity(const Perm& perm);
Shape permuted(const Shape& shape, const Perm& perm);

struct Piece {
  Op op;
  Layout layout = Layout::restore;
  int bits = 0;  // 0: float
  std::vector<ConfigId> inputs, outputs;
  Perm perm;                  // of Transpose: output axis i is input axis perm[i]
  bool gone = false;          // merged into another
  std::string original_type;  // of a LUT node: the function in its table
  Attrs original_attrs;
};

// Pieces stand in the order in which they were made: the network's own first.
class Work {
 public:
  explicit Work(const Net& net);

  const Net& net() const { return net_; }
  const Settings& settings() const { return net_.settings(); }
  Graph graph;  // values, inputs, outputs; its operators are `pieces`
  std::vector<Piece> pieces;
  // By value; nothing where no operator has said anything yet (inputs of the network).
  std::vector<std::optional<Perm>> perms;
  std::vector<ValueId> origin;  // by value
  std::vector<Finding> findings;

  ValueId add_value(Value v, Perm perm, ValueId from);
  // A tensor between two operators, named as upstream's exporter names them, of the type and shape
  // of `like`.
  ValueId add_between(ValueId like, const Shape& shape);
  ValueId add_constant(std::string name, DType dtype, Shape shape, Bytes data);
  std::string next_operator() { return "PPQ_Operation_" + std::to_string(operators_++); }
  std::string next_variable() { return "PPQ_Variable_" + std::to_string(variables_++); }
  void skip_variables(int count) { variables_ += count; }

  std::vector<size_t> consumers(ValueId id) const;  // pieces, each once
  std::optional<size_t> producer(ValueId id) const;
  bool is_input(ValueId id) const;
  bool is_output(ValueId id) const;
  bool single_use(ValueId id) const { return !is_output(id) && consumers(id).size() == 1; }
  const Perm& perm_of(ValueId id);  // settles an open one as the network's own order
  void set_perm(ValueId id, const Perm& perm);
  // A Transpose in front of one operand; its config is the operand's.
  void insert_transpose(size_t piece, size_t operand, const Perm& wanted);
  // In running order: first in, first out from the operators that wait for nobody.
  std::vector<size_t> order() const;

 private:
  void name_decompositions();

  const Net& net_;
  int operators_ = 0;
  int variables_ = 0;
};

// Steps, in this order.
void fuse_relu(Work& work);         // work_fuse.cc
void make_luts(Work& work);         // work_fuse.cc: activations of 16 bits that become LUT nodes
void order_matrices(Work& work);    // work_matmul.cc: computed second operands in the chip's order
Status change_layout(Work& work);   // work_layout.cc
void merge_transposes(Work& work);  // work_transposes.cc
void insert_conversions(Work& work);  // work_convert.cc
Result<Graph> finish(Work& work);     // work_finish.cc: integers, tables, attributes, order

}  // namespace edgetwin::quantize
