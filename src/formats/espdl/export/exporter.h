// The state of one export, and one function per group of operators.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/espdl/document/layout.h"
#include "formats/espdl/document/operators.h"
#include "formats/espdl/export/export.h"

namespace edgetwin::espdl {

class Exporter {
 public:
  Exporter(const Graph& graph, Target target, const ExportOptions& options)
      : graph_(graph), target_(target), options_(options) {}

  Result<Document> run();

  // The operator under way: the node is filled by the functions below.
  struct Building {
    const Op& op;
    std::string label;
    Node node;

    void set(std::string_view name, int64_t number);
    void set(std::string_view name, float number);
    void set(std::string_view name, std::string_view text);
    void set(std::string_view name, std::vector<int64_t> numbers);
  };

  const Graph& graph() const { return graph_; }
  Target target() const { return target_; }
  // Operand i, which must be there.
  const Value& operand(const Building& b, size_t i) const;

  // Notes that the operator has no form in a file; the export ends with all such lines.
  void refuse(const Building& b, const std::string& why);

  // Appends operand i to the node as it is; "" where it is absent or the operator has fewer.
  void take_input(Building& b, size_t i);
  void take_inputs(Building& b, size_t count);
  // Appends an initializer made here, named after the node. Lists are INT64.
  void add_made(Building& b, std::string_view what, TensorData data);
  void add_integers(Building& b, std::string_view what, const std::vector<int64_t>& numbers);
  // Appends the content of a value, under the value's name.
  void add_constant(Building& b, ValueId id, TensorData data);
  // The name of a value in the file.
  const std::string& name(ValueId id) const { return names_[static_cast<size_t>(id)]; }
  // The element type, dimensions, exponents and bytes of a constant.
  TensorData data_of(const Value& value) const;
  // The fused activation. Refuses what the runtime does not fuse.
  void set_activation(Building& b, Activation activation);

 private:
  void add_initializer(Building& b, TensorData data);
  void name_values();
  std::string unused_name(std::string wanted);
  void check_values();
  void take_operator(size_t index);
  void take_table(Building& b);
  ValueInfo info_of(ValueId id) const;
  void take_values();

  const Graph& graph_;
  Target target_;
  ExportOptions options_;
  Document document_;
  std::vector<std::string> names_;  // by value
  std::set<std::string, std::less<>> used_names_;
  std::map<std::string, size_t, std::less<>> initializers_;  // by name
  std::vector<std::string> refusals_;
};

// What the type of the elements says about the quant_type of an operator.
std::string_view quant_type(const Graph& graph, const Op& op);

// Numbers of a constant of INT32 or INT64; empty for others.
std::vector<int64_t> integers_of(const Value& value);

// Each fills attributes and inputs of the node; one function serves several rows.
#define OPERATOR(type, function, kind) void export_##function(Exporter& e, Exporter::Building& b);
#include "formats/espdl/document/operators.def"
#undef OPERATOR

}  // namespace edgetwin::espdl
