// Two runs side by side.
#include <algorithm>

#include "edgetwin/verify.h"
#include "verify/compare.h"

namespace edgetwin {
namespace {

// What the numbers of a tensor stand for.
Tensor reals_of(const Tensor& t) {
  Tensor r;
  r.name = t.name;
  r.dtype = DType::float32;
  r.shape = t.shape;
  const int64_t elements = t.shape.elements();
  r.data.resize(static_cast<size_t>(elements) * sizeof(float));
  const auto to = r.as<float>();
  for (int64_t i = 0; i < elements; ++i) {
    const double value = element_as_double(t.dtype, t.data, i);
    const double zero = t.quant.present() ? static_cast<double>(t.quant.zero_point_of(0)) : 0.0;
    to[static_cast<size_t>(i)] = static_cast<float>((value - zero) * t.quant.scale_of(0));
  }
  return r;
}

bool means_the_same(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && (!a.quant.present() || !b.quant.present() || a.quant == b.quant);
}

// One scale for all elements, or plain numbers: what can be turned into real numbers here.
bool has_reals(const Tensor& t) { return !t.quant.per_channel() && byte_size(t.dtype) > 0; }

TensorAgreement agreement_of(const Tensor& a, const Tensor& b, double tolerance) {
  TensorAgreement t;
  t.name = a.name;
  t.as_reals = !means_the_same(a, b) && has_reals(a) && has_reals(b);
  const verify::TensorDiff d = t.as_reals ? verify::compare(reals_of(a), reals_of(b), tolerance)
                                          : verify::compare(a, b, tolerance);
  t.problem = d.problem;
  t.elements = d.elements;
  t.different = d.different;
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

// By the tensor's name; the n-th of a name with the n-th.
void compare_layers(const Run& a, const Run& b, double tolerance, Agreement& result) {
  std::vector<bool> taken(b.layers.size(), false);
  for (const LayerResult& l : a.layers) {
    for (size_t i = 0; i < b.layers.size(); ++i) {
      if (taken[i] || b.layers[i].tensor.name != l.tensor.name) continue;
      taken[i] = true;
      TensorAgreement t = agreement_of(l.tensor, b.layers[i].tensor, tolerance);
      t.layer = l.layer;
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
      if (taken[k] || a[i].name.empty() || b[k].name != a[i].name) continue;
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

}  // namespace

Agreement compare(const Run& a, const Run& b, double tolerance) {
  Agreement result;
  compare_layers(a, b, tolerance, result);
  const bool both = !a.outputs.empty() && !b.outputs.empty();
  const std::vector<Tensor> outputs_a = outputs_of(a), outputs_b = outputs_of(b);
  const std::vector<const Tensor*> found = partners(outputs_a, outputs_b, both);
  size_t compared = 0;
  result.outputs_equal = true;
  for (size_t i = 0; i < outputs_a.size(); ++i) {
    if (found[i] == nullptr) {
      if (both) result.only_in_a.push_back(outputs_a[i].name);
      continue;
    }
    TensorAgreement t = agreement_of(outputs_a[i], *found[i], tolerance);
    t.output = true;
    result.outputs_equal = result.outputs_equal && t.equal();
    ++compared;
    add(result, std::move(t));
  }
  if (both) result.only_in_b = names_left(outputs_b, found);
  result.outputs_equal = result.outputs_equal && compared > 0;
  result.findings = a.findings;
  result.findings.insert(result.findings.end(), b.findings.begin(), b.findings.end());
  return result;
}

Result<Agreement> compare(Runner& a, std::span<const Tensor> inputs_a, Runner& b,
                          std::span<const Tensor> inputs_b, double tolerance) {
  EDGETWIN_TRY_ASSIGN(const Run run_a, a.run(inputs_a));
  EDGETWIN_TRY_ASSIGN(const Run run_b, b.run(inputs_b));
  return compare(run_a, run_b, tolerance);
}

}  // namespace edgetwin
