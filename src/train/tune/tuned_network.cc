#include "train/tune/tuned_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "lut/function.h"
#include "quantize/espdl/plan/parameters.h"
#include "train/rules/rules.h"
#include "train/tune/free_exponents.h"

namespace edgetwin::train {
namespace {

constexpr Slot kNoSlot = -1;

// All weights and biases, and constants of Add and Mul.
bool is_trained(const Op& op, size_t operand) {
  switch (op.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
    case OpKind::fully_connected:
      return operand > 0;
    case OpKind::matmul:
    case OpKind::add:
    case OpKind::mul:
      return true;
    default:
      return false;
  }
}

// Weights as their variables round them.
class AdaRoundStep : public Step {
 public:
  explicit AdaRoundStep(AdaRound rounding) : rounding_(std::move(rounding)) {}

  void forward(Operands in, Numbers& out) const override {
    const std::vector<float> soft = rounding_.forward(narrow(*in[0]));
    out.assign(soft.begin(), soft.end());
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    const std::vector<float> slopes = rounding_.gradient(narrow(*in[0]), narrow(gradient));
    for (size_t i = 0; i < slopes.size(); ++i) (*to[0])[i] += static_cast<double>(slopes[i]);
  }

 private:
  static std::vector<float> narrow(const Numbers& n) { return {n.begin(), n.end()}; }
  AdaRound rounding_;
};

Numbers numbers_of(const Value& v) {
  const auto values = quantize::floats_of(v);
  return {values.begin(), values.end()};
}

}  // namespace

class TapeBuilder {
 public:
  TapeBuilder(const quantize::Planned& planned, const TapeForm& form)
      : plan_(*planned.plan), graph_(*planned.graph), form_(form), phase_(form.phase) {
    made_.slots_.assign(graph_.values.size(), kNoSlot);
  }

  Result<TunedNetwork> run() && {
    const Chain* part = form_.part;
    for (const ValueId id : part == nullptr ? graph_.inputs : std::vector<ValueId>{part->input}) {
      made_.slots_[static_cast<size_t>(id)] = made_.tape_.add_input(size_of(id));
      made_.inputs_.push_back(made_.slots_[static_cast<size_t>(id)]);
    }
    find_trained();
    if (form_.thresholds) {
      free_exponents_ = free_exponents(plan_, part, [this](size_t op) {
        return is_table(graph_.ops[op], plan_.ops()[op]);  // it is made for fixed ones
      });
    }
    std::vector<size_t> ops(graph_.ops.size());
    std::iota(ops.begin(), ops.end(), size_t{0});
    for (const size_t i : part == nullptr ? ops : part->ops) EDGETWIN_TRY(take(i));
    outputs_ = part == nullptr ? graph_.outputs : std::vector<ValueId>{part->output};
    for (const ValueId id : outputs_) {
      if (made_.slot_of(id) == kNoSlot) {
        return broken(Rule::operators, "the output '" + graph_.value(id).name +
                                           "' is not a result of operators with gradients");
      }
      made_.outputs_.push_back(made_.slot_of(id));
    }
    EDGETWIN_TRY(end());
    made_.tape_.refresh();
    return std::move(made_);
  }

 private:
  size_t size_of(ValueId id) const {
    return static_cast<size_t>(std::max<int64_t>(graph_.value(id).shape.elements(), 0));
  }
  const quantize::Settings& settings() const { return plan_.settings(); }

  void find_trained() {
    trained_.assign(graph_.values.size(), false);
    for (const Op& op : graph_.ops) {
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        if (!op.has_input(i) || !is_trained(op, i)) continue;
        const Value& v = graph_.value(op.inputs[i]);
        if (v.is_constant() && v.dtype == DType::float32) {
          trained_[static_cast<size_t>(op.inputs[i])] = true;
        }
      }
    }
  }

  // The logarithms of a scale that is trained.
  Slot threshold(quantize::QuantId root) {
    const auto known = thresholds_.find(root);
    if (known != thresholds_.end()) return known->second;
    const quantize::OperandQuant& q = plan_.quant(root);
    const std::vector<float> start(q.exponent.begin(), q.exponent.end());
    const Slot slot = made_.tape_.add_shared(Numbers(start.begin(), start.end()), true);
    made_.parameters_.push_back(
        {"exponent " + std::to_string(root) + " of " + graph_.value(q.value).name, kAbsent, slot,
         start, std::nullopt, root});
    thresholds_[root] = slot;
    return slot;
  }

  // Constants come where they are first read.
  Slot slot(ValueId id) {
    Slot& s = made_.slots_[static_cast<size_t>(id)];
    const Value& v = graph_.value(id);
    if (s != kNoSlot || !v.is_constant() || v.dtype != DType::float32) return s;
    const bool trained = trained_[static_cast<size_t>(id)] && !form_.rounding;
    s = made_.tape_.add_shared(numbers_of(v), trained);
    if (trained) {
      const auto values = quantize::floats_of(v);
      made_.parameters_.push_back(
          {v.name, id, s, {values.begin(), values.end()}, std::nullopt, quantize::kNone});
    }
    return s;
  }

  // The rounding of an operand or result; nothing where it stays in float.
  std::optional<RoundingSpec> rounding(quantize::QuantId id) const {
    if (phase_ == TunedPhase::floats || id == quantize::kNone) return std::nullopt;
    const quantize::OperandQuant& own = plan_.quant(id);
    const quantize::OperandQuant& by = plan_.deciding(id);
    if (by.exponent.empty()) return std::nullopt;
    RoundingSpec spec;
    if (free_exponents_.contains(plan_.root(id))) spec.trained = plan_.root(id);
    spec.exponents = by.exponent;
    spec.bits = own.bits;
    spec.rounding = quantize::rounding_of(settings().target);
    spec.mask = own.kind != quantize::OperandQuant::Kind::bias;
    const Value& v = graph_.value(own.value);
    if (spec.exponents.size() > 1) {
      spec.inner = static_cast<size_t>(quantize::inner_elements(v, std::max(own.axis, 0)));
    }
    return spec;
  }

  Slot rounded(Slot from, const std::optional<RoundingSpec>& spec) {
    if (!spec) return from;
    const auto known = roundings_.find(from);
    if (known != roundings_.end() && known->second == *spec) return from;  // it is rounded so
    for (const auto& [slot, made] : made_roundings_[from]) {
      if (made == *spec) return slot;
    }
    const bool trained = spec->trained != quantize::kNone;
    const Slot to = trained
                        ? made_.tape_.add(make_threshold_rounding(*spec),
                                          {from, threshold(spec->trained)}, made_.tape_.size(from))
                        : made_.tape_.add(make_rounding(*spec), {from}, made_.tape_.size(from));
    roundings_[to] = *spec;
    made_roundings_[from].emplace_back(to, *spec);
    return to;
  }

  bool is_weights(const Op& op) const {
    return is_trained(op, 1) && op.kind != OpKind::add && op.kind != OpKind::mul &&
           graph_.value(op.inputs[1]).is_constant();
  }

  // Weights whose rounding is trained.
  Slot up_or_down(ValueId id, const RoundingSpec& spec) {
    const Value& v = graph_.value(id);
    FakeQuantizer q;
    q.bits = spec.bits;
    q.rounding = spec.rounding;
    q.inner = spec.inner;
    for (const int e : spec.exponents) q.scales.push_back(std::ldexp(1.0F, e));
    const AdaRound rounding(quantize::floats_of(v), std::move(q));
    std::vector<float> start = rounding.start();
    const Slot variables = made_.tape_.add_shared(Numbers(start.begin(), start.end()), true);
    made_.parameters_.push_back(
        {v.name, id, variables, std::move(start), rounding, quantize::kNone});
    return made_.tape_.add(std::make_unique<AdaRoundStep>(rounding), {variables}, size_of(id));
  }

  Result<std::unique_ptr<Step>> step_of(size_t index, size_t output) {
    const Op& op = graph_.ops[index];
    const quantize::OpQuants& q = plan_.ops()[index];
    if (output == 0 && phase_ == TunedPhase::quantized && is_table(op, q)) return table_of(op, q);
    return make_step(graph_, index, output);
  }

  const std::string* formula_of(const Op& op) const {
    const auto& formulas = settings().lut.formulas;
    auto found = formulas.find(op.name);
    if (found == formulas.end()) found = formulas.find(op.type);
    return found == formulas.end() ? nullptr : &found->second;
  }

  // As lowering/fuse.cc makes LUT nodes.
  bool is_table(const Op& op, const quantize::OpQuants& q) const {
    const auto& types = settings().lut.to_lut;
    const bool wanted = std::find(types.begin(), types.end(), op.type) != types.end();
    return (wanted || formula_of(op) != nullptr) && q.bits == 16 && !q.inputs.empty() &&
           q.inputs[0] != quantize::kNone && settings().target != espdl::Target::c &&
           lut::function_from_name(op.type).has_value() && settings().lut.step > 0;
  }

  Result<std::unique_ptr<Step>> table_of(const Op& op, const quantize::OpQuants& q) const {
    lut::TableSpec spec;
    spec.function = *lut::function_from_name(op.type);
    spec.in_exponent = plan_.deciding(q.inputs[0]).exponent.at(0);
    spec.out_exponent = plan_.deciding(q.outputs[0]).exponent.at(0);
    spec.bits = 16;
    spec.step = settings().lut.step;
    spec.rounding = quantize::rounding_of(settings().target);
    const lut::FunctionInfo& f = lut::info(spec.function);
    if (const auto* a = std::get_if<AlphaAttrs>(&op.attrs)) {
      if (f.alpha) spec.alpha = a->alpha;
      if (f.beta) spec.beta = a->beta;
    }
    if (const std::string* formula = formula_of(op)) {
      EDGETWIN_TRY(lut::set_formula(spec, *formula));
    }
    return make_table(spec, numerics::lut_rule_of_runtime(settings().runtime));
  }

  Status take(size_t index) {
    const Op& op = graph_.ops[index];
    const quantize::OpQuants& q = plan_.ops()[index];
    std::vector<Slot> operands;
    for (const size_t i : data_operands(graph_, op)) {
      const Slot from = slot(op.inputs[i]);
      if (from == kNoSlot)
        return broken(Rule::operators,
                      op_label(graph_, index) + " reads what has no gradient here");
      const auto spec = i < q.inputs.size() ? rounding(q.inputs[i]) : std::nullopt;
      const bool variables = form_.rounding && spec && i == 1 && is_weights(op);
      operands.push_back(variables ? up_or_down(op.inputs[i], *spec) : rounded(from, spec));
    }
    for (size_t k = 0; k < op.outputs.size(); ++k) {
      const ValueId id = op.outputs[k];
      if (id == kAbsent) continue;
      EDGETWIN_TRY_ASSIGN(std::unique_ptr<Step> step, step_of(index, k));
      if (k == 0) before_last_ = operands.empty() ? kNoSlot : operands[0];
      const Slot raw = made_.tape_.add(std::move(step), operands, size_of(id));
      made_.slots_[static_cast<size_t>(id)] =
          rounded(raw, k < q.outputs.size() ? rounding(q.outputs[k]) : std::nullopt);
      before_[id] = before_last_;
    }
    return Ok{};
  }

  Status end() {
    const ValueId id = outputs_[0];
    made_.logits_ = made_.outputs_[0];
    made_.logits_shape_ = graph_.value(id).shape;
    if (!made_.logits_shape_.is_static() || made_.logits_shape_.elements() < 1) {
      return broken(Rule::shapes, "the shape of the output is not known");
    }
    const auto producer = plan_.producer(id);
    if (!producer) return Ok{};
    const OpKind kind = graph_.ops[*producer].kind;
    if (kind == OpKind::softmax || kind == OpKind::log_softmax) made_.logits_ = before_[id];
    return Ok{};
  }

  const quantize::Plan& plan_;
  const Graph& graph_;
  const TapeForm& form_;
  TunedPhase phase_;
  std::vector<ValueId> outputs_;
  TunedNetwork made_;
  std::vector<bool> trained_;
  std::set<quantize::QuantId> free_exponents_;
  std::map<quantize::QuantId, Slot> thresholds_;
  std::map<Slot, RoundingSpec> roundings_;
  std::map<Slot, std::vector<std::pair<Slot, RoundingSpec>>> made_roundings_;
  std::map<ValueId, Slot> before_;  // the first operand of what makes a value
  Slot before_last_ = kNoSlot;
};

Result<TunedNetwork> TunedNetwork::make(const quantize::Planned& planned, const TapeForm& form) {
  return TapeBuilder(planned, form).run();
}

void TunedNetwork::refresh() {
  for (const Parameter& p : parameters_) {
    tape_.set_shared(p.slot, Numbers(p.numbers.begin(), p.numbers.end()));
  }
  tape_.refresh();
}

void TunedNetwork::store(Graph& graph) const {
  for (const Parameter& p : parameters_) {
    if (p.value == kAbsent) continue;
    const std::vector<float> values = p.rounding ? p.rounding->finished(p.numbers) : p.numbers;
    Bytes data(values.size() * sizeof(float));
    std::memcpy(data.data(), values.data(), data.size());
    graph.value(p.value).constant = std::make_shared<const Bytes>(std::move(data));
  }
}

std::map<quantize::QuantId, std::vector<int>> TunedNetwork::exponents() const {
  std::map<quantize::QuantId, std::vector<int>> all;
  for (const Parameter& p : parameters_) {
    if (p.exponent_of == quantize::kNone) continue;
    for (const float a : p.numbers) {
      all[p.exponent_of].push_back(static_cast<int>(std::nearbyint(a)));
    }
  }
  return all;
}

}  // namespace edgetwin::train
