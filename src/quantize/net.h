// The network beside its quantization: for every operand of every operator one config, and who
// gives way to whom. Passes change configs; `build` makes integers of them.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "quantize/quantize.h"

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
enum class Layout : uint8_t { channels_last, keep, pair, axis, concat, restore };
enum class Parameters : uint8_t { none, bias, follow, real, index, own };

struct OperatorInfo {
  OpKind kind;
  Role role;
  Layout layout;
  Parameters parameters;
};
// Null for operators that the quantizer does not know.
const OperatorInfo* operator_info(OpKind kind);

using ConfigId = int32_t;
inline constexpr ConfigId kNone = -1;  // an operand that stays as it is

struct Config {
  enum class Kind : uint8_t { activation, parameter, bias, follow };
  Kind kind = Kind::activation;
  ValueId value = kAbsent;
  size_t op = 0;  // whose operand it is
  int bits = 8;
  int axis = -1;                  // parameters per channel: the axis of the channels
  ConfigId father = kNone;        // whose exponent it takes
  std::vector<int> exponent;      // one, or one per channel; empty: not known yet
  float low = 0.0F, high = 0.0F;  // as observed
};

struct OpConfigs {
  const OperatorInfo* info = nullptr;
  int bits = 0;  // 0: the operator stays in float
  std::vector<ConfigId> inputs, outputs;
};

class Net {
 public:
  // Errors: quant_operator with all operators that the target lacks, quant_setting.
  static Result<Net> make(const Graph& graph, const Settings& settings);

  const Graph& graph() const { return *graph_; }
  const Settings& settings() const { return *settings_; }
  std::vector<OpConfigs>& ops() { return ops_; }
  const std::vector<OpConfigs>& ops() const { return ops_; }
  std::vector<Config>& configs() { return configs_; }
  const std::vector<Config>& configs() const { return configs_; }

  Config& config(ConfigId id) { return configs_[static_cast<size_t>(id)]; }
  const Config& config(ConfigId id) const { return configs_[static_cast<size_t>(id)]; }
  // The config that decides for `id`.
  ConfigId root(ConfigId id) const;
  const Config& decides(ConfigId id) const { return config(root(id)); }
  // Joins the groups of both: everybody who followed `id`'s root follows `by`'s from now on.
  void dominate(ConfigId id, ConfigId by);
  // `id` alone, with those behind it, leaves its group and follows `by`.
  void follow(ConfigId id, ConfigId by);

  // The operator that makes a value, or nothing for inputs and constants.
  std::optional<size_t> producer(ValueId id) const;
  // Operators that use it, each once.
  const std::vector<size_t>& consumers(ValueId id) const {
    return consumers_[static_cast<size_t>(id)];
  }
  // Operators behind any output of an operator, each once.
  std::vector<size_t> downstream(size_t op) const;
  ConfigId output_config(ValueId id) const;  // of its producer; kNone where there is none
  bool is_graph_output(ValueId id) const;

  std::vector<Finding> findings;

 private:
  Net() = default;
  Status add_op(size_t index, int bits);
  ConfigId add(Config::Kind kind, ValueId value, size_t op, int bits);
  ConfigId input_config(size_t index, size_t operand, int bits);

  const Graph* graph_ = nullptr;
  const Settings* settings_ = nullptr;
  std::vector<Config> configs_;
  std::vector<OpConfigs> ops_;
  std::vector<int64_t> producers_;
  std::vector<std::vector<size_t>> consumers_;
};

}  // namespace edgetwin::quantize
