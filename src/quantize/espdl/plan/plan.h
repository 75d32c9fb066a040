// How a network is quantized: for every operand of every operator its own quantization, and which
// operands share an exponent (union-find: an operand takes the exponent of its root). Passes change
// it; lowering/ makes integers of it.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/uses.h"
#include "quantize/espdl/plan/settings.h"

namespace edgetwin::quantize {

enum class Role : uint8_t {
  computing,
  activation,
  passive,
  elementwise,
  concat,
  resize,
  compare,
  moves,
  real_output,
  real,
  plain,
};
enum class AxisRule : uint8_t { channels_last, keep, pair, axis, concat, restore };
enum class Parameters : uint8_t { none, bias, follow, real, index, own };

struct OperatorInfo {
  OpKind kind;
  Role role;
  AxisRule layout;
  Parameters parameters;
};
// Null for operators that the quantizer does not know.
const OperatorInfo* operator_info(OpKind kind);

using QuantId = int32_t;
inline constexpr QuantId kNone = -1;  // an operand that stays as it is

struct OperandQuant {
  enum class Kind : uint8_t { activation, parameter, bias, follow };
  Kind kind = Kind::activation;
  ValueId value = kAbsent;
  size_t op = 0;  // whose operand it is
  int bits = 8;
  int axis = -1;                  // parameters per channel: the axis of the channels
  QuantId parent = kNone;         // the operand whose exponent it takes
  std::vector<int> exponent;      // one, or one per channel; empty: not known yet
  float low = 0.0F, high = 0.0F;  // as observed
};

struct OpQuants {
  const OperatorInfo* info = nullptr;
  int bits = 0;  // 0: the operator stays in float
  std::vector<QuantId> inputs, outputs;
};

class Plan {
 public:
  // Errors: quant_operator with all operators that the target lacks, quant_setting.
  static Result<Plan> make(const Graph& graph, const Settings& settings);

  const Graph& graph() const { return *graph_; }
  const Settings& settings() const { return *settings_; }
  std::vector<OpQuants>& ops() { return ops_; }
  const std::vector<OpQuants>& ops() const { return ops_; }
  std::vector<OperandQuant>& quants() { return quants_; }
  const std::vector<OperandQuant>& quants() const { return quants_; }

  OperandQuant& quant(QuantId id) { return quants_[static_cast<size_t>(id)]; }
  const OperandQuant& quant(QuantId id) const { return quants_[static_cast<size_t>(id)]; }
  // The operand that decides for `id`.
  QuantId root(QuantId id) const;
  const OperandQuant& deciding(QuantId id) const { return quant(root(id)); }
  // Joins the groups of both: all that followed the root of `id` follow that of `by`.
  void merge_into(QuantId id, QuantId by);
  // `id` alone, with those that follow it, leaves its group and follows `by`.
  void follow(QuantId id, QuantId by);

  // The operator that makes a value, or nothing for inputs and constants.
  std::optional<size_t> producer(ValueId id) const { return uses_.producer(id); }
  // Operators that use it, each once.
  const std::vector<size_t>& consumers(ValueId id) const { return uses_.consumers(id); }
  // Operators after any output of an operator, each once.
  std::vector<size_t> downstream(size_t op) const;
  QuantId output_quant(ValueId id) const;  // of its producer; kNone where there is none
  bool is_graph_output(ValueId id) const { return uses_.is_output(id); }

  std::vector<Finding> findings;

 private:
  Plan(const Graph& graph, const Settings& settings)
      : graph_(&graph), settings_(&settings), ops_(graph.ops.size()), uses_(graph) {}
  Status add_op(size_t index, int bits);
  QuantId add(OperandQuant::Kind kind, ValueId value, size_t op, int bits);
  QuantId input_quant(size_t index, size_t operand, int bits);

  const Graph* graph_;
  const Settings* settings_;
  std::vector<OperandQuant> quants_;
  std::vector<OpQuants> ops_;
  Uses uses_;
};

}  // namespace edgetwin::quantize
