#include "train/checkpoint/write.h"

#include "train/network/parameters.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

using torch::Checkpoint;
using torch::NodeId;

// Entries of each layer that are parameters for the vendor's program but are not trained; the last
// three are of the method of thresholds.
constexpr size_t kUntrained = 9, kOfThresholds = 3;

template <class T>
Tensor tensor_of(DType type, const Shape& shape, std::span<const T> values) {
  Tensor t;
  t.dtype = type;
  t.shape = shape;
  t.data = to_bytes(std::as_bytes(values));
  return t;
}

Tensor floats(const Shape& shape, std::span<const float> values) {
  return tensor_of(DType::float32, shape, values);
}

Tensor integer(const Shape& shape, int64_t value) {
  return tensor_of(DType::int64, shape, std::span<const int64_t>(&value, 1));
}

Tensor truth(bool value) {
  const auto byte = static_cast<uint8_t>(value ? 1 : 0);
  return tensor_of(DType::boolean, {1}, std::span<const uint8_t>(&byte, 1));
}

// A trained parameter with its index among all parameters of the vendor's model.
struct Indexed {
  ParameterRef parameter;
  int64_t index;
};

struct Numbering {
  std::vector<Indexed> trained;
  std::vector<std::string> names;  // of all, in order
};

constexpr const char* kUntrainedNames[kUntrained] = {
    ".output_shift",         ".weight_bits",         ".bias_bits",
    ".quantize_activation",  ".adjust_output_shift", ".shift_quantile",
    ".activation_threshold", ".clamp_activation",    ".final_scale"};

std::span<const char* const> untrained_names(const Model& model) {
  const bool thresholds = model.method == QuantizationMethod::thresholds;
  return std::span(kUntrainedNames).first(kUntrained - (thresholds ? 0 : kOfThresholds));
}

Numbering number(Model& model) {
  Numbering result;
  for_each_parameter(model, nullptr, [&](const ParameterRef& p) {
    if (p.name.ends_with(".op.weight")) {
      const std::string layer = p.name.substr(0, p.name.size() - std::strlen(".op.weight"));
      for (const char* name : untrained_names(model)) result.names.push_back(layer + name);
    }
    result.trained.push_back({p, static_cast<int64_t>(result.names.size())});
    result.names.push_back(p.name);
  });
  return result;
}

class StateWriter {
 public:
  StateWriter(Checkpoint& out, Model& model) : out_(out), model_(model) {}

  NodeId run() {
    state_ = out_.add_dict(true);
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      if (!model_.parameters[i].weights.empty()) layer(i);
    }
    return state_;
  }

 private:
  void put(const std::string& name, const Tensor& tensor) {
    out_.append(state_, name, out_.add_tensor(tensor));
  }

  void layer(size_t i) {
    const LayerParameters& p = model_.parameters[i];
    const NetworkLayer& l = model_.network.layers[i];
    const LayerQuantization& q = model_.quantization[i];
    const int bits = model_.quantized ? q.bits : 0;
    const float zero = 0;
    put(l.name + kUntrainedNames[0], floats({1}, std::span(&zero, 1)));
    put(l.name + kUntrainedNames[1], integer({1}, bits));
    put(l.name + kUntrainedNames[2], integer({1}, bits));
    put(l.name + kUntrainedNames[3], truth(model_.quantized));
    put(l.name + kUntrainedNames[4], truth(model_.quantized));
    put(l.name + kUntrainedNames[5], floats({1}, std::span(&q.quantile, 1)));
    if (model_.method == QuantizationMethod::thresholds) thresholds(l.name, q);
    const Shape channels = {l.spec.out_channels()};
    put(l.name + ".op.weight", floats(weight_shape(l.spec), p.weights));
    if (!p.bias.empty()) put(l.name + ".op.bias", floats(channels, p.bias));
    if (!p.norm) return;
    if (p.norm->affine()) {
      put(l.name + ".bn.weight", floats(channels, p.norm->scale));
      put(l.name + ".bn.bias", floats(channels, p.norm->offset));
    }
    put(l.name + ".bn.running_mean", floats(channels, p.norm->mean));
    put(l.name + ".bn.running_var", floats(channels, p.norm->variance));
    put(l.name + ".bn.num_batches_tracked", integer({}, p.norm->batches));
  }

  void thresholds(const std::string& layer, const LayerQuantization& q) {
    const auto threshold = static_cast<float>(q.threshold);
    const auto factor = static_cast<float>(q.final_scale);
    put(layer + kUntrainedNames[6], floats({1}, std::span(&threshold, 1)));
    put(layer + kUntrainedNames[7], truth(model_.quantized));
    put(layer + kUntrainedNames[8], floats({1}, std::span(&factor, 1)));
  }

  Checkpoint& out_;
  Model& model_;
  NodeId state_ = 0;
};

NodeId optimizer_state(Checkpoint& out, const Optimizer& optimizer, const Numbering& numbering) {
  const NodeId states = out.add_dict(false);
  for (const Indexed& row : numbering.trained) {
    const auto found = optimizer.states().find(row.parameter.name);
    if (found == optimizer.states().end()) continue;
    const OptimizerState& s = found->second;
    const NodeId one = out.add_dict(false);
    if (optimizer.options().kind == OptimizerKind::sgd) {
      out.append(one, "momentum_buffer", out.add_tensor(floats(row.parameter.shape, s.first)));
    } else {
      const auto steps = static_cast<float>(s.steps);
      out.append(one, "step", out.add_tensor(floats({}, std::span(&steps, 1))));
      out.append(one, "exp_avg", out.add_tensor(floats(row.parameter.shape, s.first)));
      out.append(one, "exp_avg_sq", out.add_tensor(floats(row.parameter.shape, s.second)));
    }
    out.append(states, out.add_integer(row.index), one);
  }
  return states;
}

NodeId parameter_group(Checkpoint& out, const Optimizer& optimizer, const Numbering& numbering,
                       const Progress& progress) {
  const OptimizerOptions& o = optimizer.options();
  const NodeId group = out.add_dict(false);
  const auto real = [&](const char* key, double v) { out.append(group, key, out.add_real(v)); };
  const auto flag = [&](const char* key) { out.append(group, key, out.add_boolean(false)); };
  real("lr", o.rate);
  if (o.kind == OptimizerKind::sgd) {
    real("momentum", o.momentum);
    out.append(group, "dampening", out.add_integer(0));
    real("weight_decay", o.weight_decay);
    flag("nesterov");
  } else {
    const std::vector<NodeId> betas = {out.add_real(0.9), out.add_real(0.999)};
    out.append(group, "betas", out.add_tuple(betas));
    real("eps", o.epsilon);
    real("weight_decay", o.weight_decay);
    flag("amsgrad");
  }
  flag("maximize");
  out.append(group, "foreach", out.add_none());
  if (o.kind == OptimizerKind::adam) flag("capturable");
  flag("differentiable");
  if (o.kind == OptimizerKind::adam) flag("fused");
  if (progress.initial_rate) real("initial_lr", *progress.initial_rate);
  std::vector<NodeId> indices;
  for (size_t i = 0; i < numbering.names.size(); ++i) {
    indices.push_back(out.add_integer(static_cast<int64_t>(i)));
  }
  out.append(group, "params", out.add_list(std::move(indices)));
  return group;
}

NodeId extras_of(Checkpoint& out, const Progress& p) {
  const NodeId extras = out.add_dict(false);
  out.append(extras, "current_top1", out.add_real(p.current_top1));
  out.append(extras, "best_top1", out.add_real(p.best_top1));
  const auto precision = [&](double v) { return v == 0 ? out.add_integer(0) : out.add_real(v); };
  out.append(extras, "current_mAP", precision(p.current_map));
  out.append(extras, "best_mAP", precision(p.best_map));
  out.append(extras, "best_epoch", out.add_integer(p.best_epoch));
  const NodeId own = out.add_dict(false);
  out.append(own, "version", out.add_integer(1));
  out.append(own, "seed", out.add_integer(static_cast<int64_t>(p.seed)));
  if (!p.normalisation.empty()) {
    out.append(own, "normalisation", out.add_text(p.normalisation));
  }
  if (p.average_rounding) {
    out.append(own, "avg_pool_rounding", out.add_boolean(*p.average_rounding));
  }
  out.append(own, "scheduler_steps", out.add_integer(p.scheduler_steps));
  std::vector<NodeId> losses;
  for (const double loss : p.losses) losses.push_back(out.add_real(loss));
  out.append(own, "best_top5", out.add_real(p.best_top5));
  out.append(own, "best_loss", out.add_real(p.best_loss));
  out.append(own, "losses", out.add_list(std::move(losses)));
  out.append(extras, "edgetwin", own);
  return extras;
}

}  // namespace

torch::Checkpoint checkpoint_of(Model& model, const Optimizer& optimizer,
                                const Progress& progress) {
  Checkpoint out = Checkpoint::make("checkpoint");
  const Numbering numbering = number(model);
  const NodeId root = out.root();
  out.append(root, "epoch", out.add_integer(progress.epoch));
  out.append(root, "state_dict", StateWriter(out, model).run());
  out.append(root, "arch", out.add_text(model.network.arch));
  const NodeId state = out.add_dict(false);
  out.append(state, "state", optimizer_state(out, optimizer, numbering));
  const std::vector<NodeId> groups = {parameter_group(out, optimizer, numbering, progress)};
  out.append(state, "param_groups", out.add_list(groups));
  out.append(root, "optimizer_state_dict", state);
  const bool sgd = optimizer.options().kind == OptimizerKind::sgd;
  out.append(root, "optimizer_type",
             out.add_class(sgd ? "torch.optim.sgd SGD" : "torch.optim.adam Adam"));
  // The reader there fails on a parameter that is missing here.
  const NodeId masks = out.add_dict(false);
  for (const std::string& name : numbering.names) out.append(masks, name, out.add_none());
  const NodeId schedule = out.add_dict(false);
  out.append(schedule, "masks_dict", masks);
  out.append(root, "compression_sched", schedule);
  out.append(root, "extras", extras_of(out, progress));
  return out;
}

namespace {

Error missing(const Checkpoint& in, const std::string& entry) {
  return broken(Rule::checkpoint_entry, "the checkpoint lacks an entry")
      .in_file(in.file())
      .in_field(entry);
}

double real_of(const Checkpoint& in, NodeId dict, std::string_view key) {
  const auto id = in.find(dict, key);
  if (!id) return 0;
  const torch::Node& node = in.node(*id);
  return node.kind == torch::NodeKind::real ? node.real : static_cast<double>(node.integer);
}

// What this program's own checkpoints state besides; none in others.
std::vector<double> losses_of(const Checkpoint& in, NodeId extras) {
  std::vector<double> losses;
  const auto own = in.find(extras, "edgetwin");
  const auto list = own ? in.find(*own, "losses") : std::nullopt;
  if (!list) return losses;
  for (const NodeId id : in.node(*list).items) {
    if (in.node(id).kind == torch::NodeKind::real) losses.push_back(in.node(id).real);
  }
  return losses;
}

std::optional<NodeId> at_index(const Checkpoint& in, NodeId dict, int64_t index) {
  const torch::Node& node = in.node(dict);
  for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
    const torch::Node& key = in.node(node.items[i]);
    if (key.kind == torch::NodeKind::integer && key.integer == index) return node.items[i + 1];
  }
  return std::nullopt;
}

Status load_values(const Checkpoint& in, NodeId state, std::string_view key, size_t size,
                   std::vector<float>& values) {
  const auto id = in.find(state, key);
  if (!id || in.node(*id).kind != torch::NodeKind::tensor) return missing(in, std::string(key));
  const Tensor tensor = in.tensor(*id);
  if (tensor.dtype != DType::float32 || static_cast<size_t>(tensor.shape.elements()) != size) {
    return broken(Rule::checkpoint_shape, "the optimizer's state has another size")
        .in_file(in.file())
        .in_field(std::string(key));
  }
  const auto numbers = tensor.as<float>();
  values.assign(numbers.begin(), numbers.end());
  return Ok{};
}

Status load_one(const Checkpoint& in, NodeId state, size_t size, OptimizerKind kind,
                OptimizerState& out) {
  if (kind == OptimizerKind::sgd) {
    return load_values(in, state, "momentum_buffer", size, out.first);
  }
  EDGETWIN_TRY(load_values(in, state, "exp_avg", size, out.first));
  EDGETWIN_TRY(load_values(in, state, "exp_avg_sq", size, out.second));
  std::vector<float> steps;
  EDGETWIN_TRY(load_values(in, state, "step", 1, steps));
  out.steps = static_cast<int64_t>(steps[0]);
  return Ok{};
}

}  // namespace

Result<Progress> load_progress(const torch::Checkpoint& in, Model& model, Optimizer& optimizer) {
  const auto epoch = in.integer(in.root(), "epoch");
  const auto outer = in.find(in.root(), "optimizer_state_dict");
  if (!epoch) return missing(in, "epoch");
  if (!outer) return missing(in, "optimizer_state_dict");
  const auto states = in.find(*outer, "state");
  if (!states) return missing(in, "optimizer_state_dict.state");
  for (const Indexed& row : number(model).trained) {
    const auto found = at_index(in, *states, row.index);
    if (!found) continue;  // it has not made a step yet
    EDGETWIN_TRY(load_one(in, *found, row.parameter.values->size(), optimizer.options().kind,
                          optimizer.states()[row.parameter.name]));
  }
  Progress progress{.epoch = static_cast<int>(*epoch),
                    .normalisation = {},
                    .average_rounding = {},
                    .losses = {},
                    .initial_rate = {}};
  if (const auto extras = in.find(in.root(), "extras")) {
    progress.current_top1 = real_of(in, *extras, "current_top1");
    progress.best_top1 = real_of(in, *extras, "best_top1");
    progress.best_epoch = static_cast<int>(in.integer(*extras, "best_epoch").value_or(0));
    progress.current_map = real_of(in, *extras, "current_mAP");
    progress.best_map = real_of(in, *extras, "best_mAP");
    progress.losses = losses_of(in, *extras);
    if (const auto own = in.find(*extras, "edgetwin")) {
      progress.best_top5 = real_of(in, *own, "best_top5");
      progress.best_loss = real_of(in, *own, "best_loss");
    }
  }
  return progress;
}

}  // namespace edgetwin::train
