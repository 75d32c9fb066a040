// Two runs side by side.
#include <algorithm>

#include "edgetwin/verify.h"
#include "report/format.h"
#include "twin/values.h"
#include "twin/verify/sides.h"
#include "verify/compare.h"

namespace edgetwin {
namespace {

bool means_the_same(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && (!a.quant.present() || !b.quant.present() || a.quant == b.quant);
}

// One scale for all elements, or plain numbers: what can be turned into real numbers here.
bool has_reals(const Tensor& t) { return !t.quant.per_channel() && byte_size(t.dtype) > 0; }

// The sizes of a shape without those that are 1.
std::vector<int64_t> sizes_of(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const int64_t d : shape.dims()) {
    if (d != 1) sizes.push_back(d);
  }
  return sizes;
}

// Two runs and where their tensors have their channels.
struct TwoRuns {
  const Run& a;
  const Run& b;
  twin::ChannelPlace layout_a = twin::ChannelPlace::last, layout_b = twin::ChannelPlace::last;
  double tolerance = 0.0;
};

// Where the layouts differ: channels moved to the end in both, if they then have the same sizes.
void align(Tensor& a, Tensor& b, const TwoRuns& runs) {
  if (runs.layout_a == runs.layout_b) return;
  Tensor x = twin::channels_last(a, runs.layout_a);
  Tensor y = twin::channels_last(b, runs.layout_b);
  if (sizes_of(x.shape) == sizes_of(y.shape)) {
    y.shape = x.shape;
    a = std::move(x);
    b = std::move(y);
  } else if (sizes_of(a.shape) == sizes_of(b.shape)) {
    b.shape = a.shape;
  }
}

TensorAgreement agreement_of(const Tensor& given_a, const Tensor& given_b, const TwoRuns& runs) {
  Tensor a = given_a, b = given_b;
  align(a, b, runs);
  TensorAgreement t;
  t.name = a.name;
  t.as_reals = !means_the_same(a, b) && has_reals(a) && has_reals(b);
  const verify::TensorDiff d =
      t.as_reals ? verify::compare(twin::reals_of(a), twin::reals_of(b), runs.tolerance)
                 : verify::compare(a, b, runs.tolerance);
  t.problem = d.problem;
  t.elements = d.elements;
  t.different = d.different;
  t.first_index = d.first_index;
  t.first_position = d.first_position;
  t.first_a = d.first_a;
  t.first_b = d.first_b;
  t.largest = d.largest;
  return t;
}

void add(Agreement& result, TensorAgreement t) {
  ++result.compared;
  if (!t.equal()) {
    ++result.different;
    if (!result.first) result.first = result.tensors.size();
  }
  result.tensors.push_back(std::move(t));
}

// A name, or the form that it has in the name of a file.
bool same_name(const std::string& a, const std::string& b) {
  return a == b || report::file_safe(a) == b || a == report::file_safe(b);
}

// By the tensor's name; the n-th of a name with the n-th.
void compare_layers(const TwoRuns& runs, Agreement& result) {
  const std::vector<LayerResult>& others = runs.b.layers;
  std::vector<bool> taken(others.size(), false);
  for (const LayerResult& l : runs.a.layers) {
    for (size_t i = 0; i < others.size(); ++i) {
      if (taken[i] || !same_name(l.tensor.name, others[i].tensor.name)) continue;
      taken[i] = true;
      TensorAgreement t = agreement_of(l.tensor, others[i].tensor, runs);
      t.layer = l.layer;
      t.type = l.type;
      add(result, std::move(t));
      break;
    }
  }
}

// The partner of each tensor of `a`: the one of its name, else, `by_order`, the next that has none.
std::vector<const Tensor*> partners(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                                    bool by_order) {
  std::vector<const Tensor*> found(a.size(), nullptr);
  std::vector<bool> taken(b.size(), false);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < b.size() && found[i] == nullptr; ++k) {
      if (taken[k] || a[i].name.empty() || !same_name(a[i].name, b[k].name)) continue;
      taken[k] = true;
      found[i] = &b[k];
    }
  }
  size_t next = 0;
  if (!by_order) return found;
  for (const Tensor*& f : found) {
    while (next < b.size() && taken[next]) ++next;
    if (f != nullptr || next == b.size()) continue;
    taken[next] = true;
    f = &b[next];
  }
  return found;
}

// Recorded layers may hold what the other side calls an output.
std::vector<Tensor> outputs_of(const Run& run) {
  if (!run.outputs.empty()) return run.outputs;
  std::vector<Tensor> all;
  for (const LayerResult& l : run.layers) all.push_back(l.tensor);
  return all;
}

std::vector<std::string> names_left(const std::vector<Tensor>& all,
                                    const std::vector<const Tensor*>& used) {
  std::vector<std::string> names;
  for (const Tensor& t : all) {
    if (std::ranges::find(used, &t) == used.end()) names.push_back(t.name);
  }
  return names;
}

// The comparison of two layers that are these outputs, which then need none of their own.
TensorAgreement* layer_with(Agreement& result, const Tensor& a, const Tensor& b) {
  if (a.name.empty() || !same_name(a.name, b.name)) return nullptr;
  const auto found = std::ranges::find(result.tensors, a.name, &TensorAgreement::name);
  return found == result.tensors.end() || found->output ? nullptr : &*found;
}

Agreement agreement_of_runs(const TwoRuns& runs) {
  Agreement result;
  const Run &a = runs.a, &b = runs.b;
  const bool both = !a.outputs.empty() && !b.outputs.empty();
  // Of two traces each tensor is compared once.
  if (!a.outputs.empty() || !b.outputs.empty()) compare_layers(runs, result);
  const std::vector<Tensor> outputs_a = outputs_of(a), outputs_b = outputs_of(b);
  const std::vector<const Tensor*> found = partners(outputs_a, outputs_b, both);
  size_t compared = 0;
  result.outputs_equal = true;
  for (size_t i = 0; i < outputs_a.size(); ++i) {
    if (found[i] == nullptr) {
      if (both) result.only_in_a.push_back(outputs_a[i].name);
      continue;
    }
    ++compared;
    if (TensorAgreement* layer = layer_with(result, outputs_a[i], *found[i])) {
      layer->output = true;
      result.outputs_equal = result.outputs_equal && layer->equal();
      continue;
    }
    TensorAgreement t = agreement_of(outputs_a[i], *found[i], runs);
    t.output = true;
    result.outputs_equal = result.outputs_equal && t.equal();
    add(result, std::move(t));
  }
  if (both) result.only_in_b = names_left(outputs_b, found);
  result.outputs_equal = result.outputs_equal && compared > 0;
  result.findings = a.findings;
  result.findings.insert(result.findings.end(), b.findings.begin(), b.findings.end());
  return result;
}

// Nothing: recorded results, which are as what they are compared with.
std::optional<twin::ChannelPlace> layout_of(const Runner& runner) {
  if (runner.numerics().starts_with("max78")) return twin::ChannelPlace::planes;
  if (runner.where() == Where::recorded) return std::nullopt;
  const bool first = std::ranges::any_of(runner.inputs(), &Port::planes_first);
  return first ? twin::ChannelPlace::first : twin::ChannelPlace::last;
}

}  // namespace

namespace twin {

Agreement compare_runs(const Runner& a, const Run& run_a, const Runner& b, const Run& run_b,
                       double tolerance) {
  const auto layout_a = layout_of(a), layout_b = layout_of(b);
  return agreement_of_runs({run_a, run_b, layout_a.value_or(layout_b.value_or(ChannelPlace::last)),
                            layout_b.value_or(layout_a.value_or(ChannelPlace::last)), tolerance});
}

}  // namespace twin

Agreement compare(const Run& a, const Run& b, double tolerance) {
  return agreement_of_runs({a, b, twin::ChannelPlace::last, twin::ChannelPlace::last, tolerance});
}

Result<Agreement> compare(Runner& a, std::span<const Tensor> inputs_a, Runner& b,
                          std::span<const Tensor> inputs_b, double tolerance) {
  EDGETWIN_TRY_ASSIGN(const Run run_a, a.run(inputs_a));
  EDGETWIN_TRY_ASSIGN(const Run run_b, b.run(inputs_b));
  return twin::compare_runs(a, run_a, b, run_b, tolerance);
}

}  // namespace edgetwin
