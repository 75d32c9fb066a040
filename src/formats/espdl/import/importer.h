// The state of one import, and one function per group of operators.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/espdl/document/layout.h"
#include "formats/espdl/document/operators.h"
#include "formats/espdl/import/import.h"

namespace edgetwin::espdl {

class Importer {
 public:
  Importer(const Document& document, Target target, const std::string& file)
      : document_(document), target_(target), file_(file) {}

  Result<Model> run();

  const Document& document() const { return document_; }
  Target target() const { return target_; }
  Graph& graph() { return graph_; }

  // The operator under way, filled by the functions below.
  struct Building {
    const Node& node;
    std::string label;
    Op op;
  };

  Error error(const Building& b, ErrorCode code, std::string message) const;
  void finding(const Building& b, Severity severity, std::string message, std::string hint = "");

  // The value of a name: an initializer as a constant, or a variable. Error: espdl_reference.
  Result<ValueId> value(const Building& b, const std::string& name);
  // Appends input `i` of the node to the operator; absent where the node leaves it out.
  Status take_input(Building& b, size_t i);
  const TensorData* constant(const Building& b, size_t i) const;  // null where it is computed
  // Numbers of an INT32 or INT64 initializer; nothing where input i is absent.
  // Errors: espdl_reference where it is computed, espdl_tensor.
  Result<std::optional<std::vector<int64_t>>> integers(const Building& b, size_t i,
                                                       const char* what) const;
  // The shape that the file declares for input i. Error: espdl_reference.
  Result<Shape> declared_shape(const Building& b, size_t i) const;
  // Adds a constant made here, named after the node.
  ValueId add_constant(const Building& b, const char* what, DType dtype, Shape shape, Bytes data,
                       Quant quant = {});
  ValueId add_integers(const Building& b, const char* what, const std::vector<int64_t>& numbers);
  ValueId add_value(Value v);
  // Fused activation of Conv, Gemm, MatMul. Error: espdl_attribute.
  Result<Activation> activation(const Building& b) const;

 private:
  Status take_initializer(const TensorData& data);
  Status take_node(size_t index);
  Status take_outputs(Building& b);
  void check_quant_type(const Building& b);
  Result<ValueId> add_variable(const std::string& where, const std::string& name);
  std::map<std::string, const ValueInfo*, std::less<>> infos_;
  std::map<std::string, const TensorData*, std::less<>> initializers_;
  std::map<std::string, ValueId, std::less<>> values_;

  const Document& document_;
  Target target_;
  const std::string& file_;
  Graph graph_;
  std::vector<Finding> findings_;
};

// Each fills kind, attributes and inputs of the operator; one function serves several rows.
#define OPERATOR(type, function, kind) Status import_##function(Importer& m, Importer::Building& b);
#include "formats/espdl/document/operators.def"
#undef OPERATOR

}  // namespace edgetwin::espdl
