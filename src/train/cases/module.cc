// One layer in one phase.
#include <algorithm>
#include <array>
#include <map>

#include "train/cases/kinds.h"
#include "train/layers/integer.h"
#include "train/layers/weights.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

using ai8x::Eltwise;
using ai8x::Operator;

// Words of the index; everything that it does not have stays at its default.
template <class T>
T word(const CaseEntry& m, std::string_view key, const std::map<std::string, T>& words,
       T otherwise) {
  const auto found = words.find(m.text(key, ""));
  return found == words.end() ? otherwise : found->second;
}

// A number or a list of two; `second` where data have one dimension.
Pair pair_of(const CaseEntry& m, std::string_view key, int otherwise, bool flat, int second) {
  const auto value = m.json.get(key);
  const auto number = [&](const Json& j) {
    return static_cast<int>(j.as_integer().value_or(otherwise));
  };
  if (value && value->size() == 2) return {number(value->at(0)), number(value->at(1))};
  const int n = !value ? otherwise : number(value->size() == 1 ? value->at(0) : *value);
  return {n, flat ? second : n};
}

// Error: train_case where the operation is not one that training knows.
Result<LayerSpec> spec_of(const CaseEntry& m) {
  const std::string operation = m.text("operation", "");
  const std::array known = {"none", "conv1d", "conv2d", "convtranspose2d", "linear", "add",
                            "sub",  "or",     "xor"};
  if (std::find(known.begin(), known.end(), operation) == known.end()) {
    return broken(Rule::recorded_case, "the operation is unknown").in_field(operation);
  }
  LayerSpec spec;
  const bool flat = m.integer("dimensions", 2) == 1;
  spec.eltwise = word<Eltwise>(m, "operation",
                               {{"add", Eltwise::add},
                                {"sub", Eltwise::sub},
                                {"or", Eltwise::bitwise_or},
                                {"xor", Eltwise::bitwise_xor}},
                               Eltwise::none);
  spec.op = word<Operator>(m, "operation",
                           {{"conv1d", Operator::conv1d},
                            {"conv2d", Operator::conv2d},
                            {"convtranspose2d", Operator::conv_transpose2d},
                            {"linear", Operator::linear}},
                           Operator::none);
  for (const auto& [key, kind] :
       {std::pair{"max_pool", ai8x::Pooling::max}, std::pair{"avg_pool", ai8x::Pooling::average}}) {
    if (!m.json.get(key)) continue;
    spec.pooling = kind;
    spec.pool = {pair_of(m, key, 1, flat, 1), pair_of(m, "pool_stride", 1, flat, 1),
                 pair_of(m, "pool_dilation", 1, flat, 1)};
  }
  spec.average_rounding = m.boolean("avg_pool_rounding", false);
  EDGETWIN_TRY_ASSIGN(spec.activation, activation_of(m));
  spec.wide = m.boolean("wide", false);
  if (!spec.has_weights()) return spec;
  const int in = m.integer("in_channels", 0);
  const int out = m.integer("out_channels", 0);
  spec.window = {.kernel = pair_of(m, "kernel_size", 1, flat, 1),
                 .stride = pair_of(m, "stride", 1, flat, 1),
                 .pad = pair_of(m, "pad", 0, flat, 0),
                 .dilation = pair_of(m, "dilation", 1, flat, 1),
                 .groups = m.integer("groups", 1),
                 .first = spec.transposed() ? in : out,
                 .second = spec.transposed() ? out : in};
  spec.output_pad = pair_of(m, "output_pad", 0, flat, 0);
  return spec;
}

// x, or x0, x1, ...
std::vector<const Tensor*> inputs_of(const CaseArrays& in) {
  std::vector<const Tensor*> result;
  if (const Tensor* x = in.find("x")) return {x};
  for (int i = 0;; ++i) {
    const Tensor* x = in.find("x" + std::to_string(i));
    if (x == nullptr) return result;
    result.push_back(x);
  }
}

template <class T>
std::vector<const T*> addresses(const std::vector<T>& values) {
  std::vector<const T*> result;
  for (const T& v : values) result.push_back(&v);
  return result;
}

CaseResults compute_integer(const CaseEntry& entry, const LayerSpec& spec, const CaseArrays& in,
                            const std::vector<const Tensor*>& inputs, ThreadPool& pool) {
  std::vector<IntMaps> sources;
  for (const Tensor* x : inputs) sources.push_back(integer_maps_of(*x));
  IntegerParameters p{.weights = {}, .bias = {}, .bits = entry.integer("weight_bits", 8)};
  if (const Tensor* w = in.find("w")) {
    for (const int64_t v : integer_values(*w)) p.weights.push_back(static_cast<int32_t>(v));
  }
  if (const Tensor* b = in.find("b")) {
    const int unit = 1 << (p.bits - 1);
    for (const int64_t v : integer_values(*b)) p.bias.push_back(static_cast<int32_t>(v) / unit);
  }
  if (const Tensor* s = in.find("shift")) p.shift = static_cast<int>(integer_values(*s)[0]);
  CaseResults results;
  results.add("y", integer_forward(spec, addresses(sources), p, pool), inputs[0]->shape.rank());
  return results;
}

Result<LayerParameters> parameters_of(const CaseEntry& module, const CaseArrays& in) {
  LayerParameters p;
  p.weights = in.floats_or_none("w");
  p.bias = in.floats_or_none("b");
  if (module.text("batch_norm", "").empty()) return p;
  p.norm.emplace();
  p.norm->scale = in.floats_or_none("bn_weight");
  p.norm->offset = in.floats_or_none("bn_bias");
  EDGETWIN_TRY_ASSIGN(p.norm->mean, in.floats("bn_mean"));
  EDGETWIN_TRY_ASSIGN(p.norm->variance, in.floats("bn_var"));
  return p;
}

void add_norm(const LayerParameters& p, const LayerGradients& g, CaseResults& results) {
  const Shape channels = {static_cast<int64_t>(p.norm->mean.size())};
  if (p.norm->affine()) {
    results.add("g_bn_weight", channels, g.norm.scale);
    results.add("g_bn_bias", channels, g.norm.offset);
  }
  results.add("bn_mean_after", channels, p.norm->mean);
  results.add("bn_var_after", channels, p.norm->variance);
}

void add_parameters(const LayerParameters& p, const Tape& tape, const LayerGradients& g,
                    const CaseArrays& in, CaseResults& results) {
  const Shape shape = in.find("w")->shape;
  const Shape channels = {static_cast<int64_t>(p.bias.size())};
  results.add("gw", shape, g.weights);
  if (!p.bias.empty()) results.add("gb", channels, g.bias);
  if (p.norm) add_norm(p, g, results);
  if (!tape.scale) return;
  const auto shift = static_cast<float>(tape.scale->shift);
  results.add("shift", {1}, std::span(&shift, 1));
  results.add("wq", shape, tape.weights);
  if (!p.bias.empty()) results.add("bq", channels, tape.bias);
}

Result<CaseResults> compute_float(const CaseEntry& entry, const CaseEntry& module,
                                  const LayerSpec& spec, const CaseArrays& in,
                                  const std::vector<const Tensor*>& inputs, ThreadPool& pool) {
  EDGETWIN_TRY_ASSIGN(LayerParameters p, parameters_of(module, in));
  Phase phase;
  phase.training = entry.text("phase", "") != "float-eval";
  if (entry.text("phase", "") == "qat") {
    // The recorded package has the older quantile.
    LayerQuantization& q = phase.quantization.emplace();
    q.bits = entry.integer("weight_bits", 8);
    q.quantile = static_cast<float>(entry.number("shift_quantile", 1));
    q.rule = QuantileRule::older;
  }
  std::vector<Maps> sources;
  for (const Tensor* x : inputs) sources.push_back(maps_of(*x));
  Tape tape;
  const Maps y = forward(spec, addresses(sources), p, phase, tape, pool);
  const int rank = inputs[0]->shape.rank();
  CaseResults results;
  results.add("y", y, rank);
  if (!entry.boolean("differentiable", true)) return results;
  EDGETWIN_TRY_ASSIGN(const Tensor* gy, in.get("gy"));
  const Backward b = backward(spec, addresses(sources), p, tape, maps_of(*gy), true, pool);
  const bool several = spec.eltwise != Eltwise::none;
  for (size_t i = 0; i < b.sources.size(); ++i) {
    results.add(several ? "gx" + std::to_string(i) : "gx", b.sources[i], rank);
  }
  if (spec.has_weights()) add_parameters(p, tape, b.gradients, in, results);
  return results;
}

// Shapes of arrays against the module: a damaged case must not read beyond its arrays.
Status check_module(const LayerSpec& spec, const CaseArrays& in,
                    const std::vector<const Tensor*>& inputs) {
  if (inputs.empty()) return broken(Rule::recorded_case, "the case has no input");
  for (const Tensor* x : inputs) {
    if (x->shape.rank() < 2 || x->shape.rank() > 4 || !(x->shape == inputs[0]->shape)) {
      return broken(Rule::recorded_case, "the inputs' shapes do not fit");
    }
  }
  if (!spec.has_weights()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Tensor* w, in.get("w"));
  const bool positive = spec.window.groups > 0 && spec.window.first > 0 && spec.window.second > 0;
  if (!positive || w->shape.elements() != static_cast<int64_t>(spec.window.weights()) ||
      inputs[0]->shape[1] != spec.in_channels()) {
    return broken(Rule::recorded_case, "the weights do not fit the layer");
  }
  return Ok{};
}

}  // namespace

Result<ai8x::Activation> activation_of(const CaseEntry& entry) {
  std::string word = entry.text("activate", "none");
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "none") return ai8x::Activation::none;
  if (word == "relu") return ai8x::Activation::relu;
  if (word == "abs") return ai8x::Activation::abs;
  return broken(Rule::recorded_case, "the activation is unknown").in_field(word);
}

Result<CaseResults> compute_module(const CaseEntry& entry, const CaseArrays& in, ThreadPool& pool) {
  const CaseEntry module{
      .list = {}, .file = {}, .id = {}, .json = entry.json.get("module").value_or(Json::object())};
  EDGETWIN_TRY_ASSIGN(const LayerSpec spec, spec_of(module));
  const std::vector<const Tensor*> inputs = inputs_of(in);
  EDGETWIN_TRY(check_module(spec, in, inputs));
  if (entry.text("phase", "") == "integer") {
    return compute_integer(entry, spec, in, inputs, pool);
  }
  return compute_float(entry, module, spec, in, inputs, pool);
}

}  // namespace edgetwin::train
