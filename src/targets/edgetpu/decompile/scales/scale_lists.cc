#include "targets/edgetpu/decompile/scales/scale_lists.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kMostCombinations = 1U << 14U;

}  // namespace

ScaleIndex::ScaleIndex(const ScaleProblem& given)
    : problem(given), laws(given.tensors()), limits(given.tensors()) {
  for (size_t l = 0; l < problem.laws.size(); ++l) {
    const ScaleLaw& law = problem.laws[l];
    for (const size_t t : {law.in, law.second, law.out}) {
      if (t == kNoTensor) continue;
      if (laws[t].empty() || laws[t].back() != l) laws[t].push_back(l);
    }
  }
  for (size_t l = 0; l < problem.limits.size(); ++l) limits[problem.limits[l].tensor].push_back(l);
}

ScaleLists::ScaleLists(const ScaleIndex& index)
    : index_(&index),
      lists_(index.problem.tensors()),
      supposed_(index.problem.tensors(), 0.0F),
      broken_(index.problem.laws.size(), false) {
  for (size_t t = 0; t < lists_.size(); ++t) {
    const float anchor = index.problem.anchors[t];
    lists_[t] = usable_scale(anchor) ? std::vector<float>{anchor} : told_by_limits(t);
  }
  settle();
}

// An upper limit of 6 or 1 tells the scale but for the last bits.
std::vector<float> ScaleLists::told_by_limits(size_t t) const {
  std::vector<float> found;
  for (const size_t l : index_->limits[t]) {
    const ScaleLimits& limits = index_->problem.limits[l];
    float real = 0.0F;
    if (limits.activation == Activation::relu6) real = 6.0F;
    if (limits.activation == Activation::relu_n1_to_1) real = 1.0F;
    const float guess = real / limits.upper;
    // Where the byte ends before the activation does, its limit tells nothing.
    constexpr float kRounding = 1e-4F;
    const bool cut = limits.upper < static_cast<float>(255 - limits.zero_point) - kRounding;
    if (!usable_scale(guess) || !cut) continue;
    constexpr int kNear = 16;
    for (int u = 0; u <= 2 * kNear; ++u) {
      const float s = nth_nearest(guess, u);
      if (missed_limits(t, s) == 0) found.push_back(s);
    }
    return found.empty() ? std::vector<float>{guess} : found;
  }
  return found;
}

size_t ScaleLists::broken() const {
  return static_cast<size_t>(std::count(broken_.begin(), broken_.end(), true));
}

std::vector<float> ScaleLists::forget() {
  std::vector<float> before(supposed_.size(), 0.0F);
  supposed_.swap(before);
  return before;
}

std::span<const float> ScaleLists::options(size_t t) const {
  if (t == kNoTensor) return {};
  if (supposed_[t] != 0.0F) return {&supposed_[t], 1};
  return lists_[t];
}

int ScaleLists::missed_limits(size_t t, float s) const {
  int missed = 0;
  for (const size_t l : index_->limits[t]) missed += holds(index_->problem.limits[l], s) ? 0 : 1;
  return missed;
}

int ScaleLists::misses(size_t t, float s, int most) const {
  int missed = missed_limits(t, s);
  for (const size_t l : index_->laws[t]) {
    if (missed >= most) return missed;
    if (!broken_[l] && !can_hold(l, t, s)) ++missed;
  }
  return missed;
}

std::vector<size_t> ScaleLists::laws_between(size_t t) const {
  const auto told = [&](const ScaleLaw& law, size_t x) {
    if (x == kNoTensor || x == t) return false;
    return couples(law) ? single(x) != 0.0F : !options(x).empty();
  };
  std::vector<size_t> found;
  for (const size_t l : index_->laws[t]) {
    const ScaleLaw& law = index_->problem.laws[l];
    const bool twice = (law.in == t) + (law.second == t) + (law.out == t) > 1;
    if (broken_[l]) continue;
    if (twice || told(law, law.in) || told(law, law.second) || told(law, law.out)) {
      found.push_back(l);
    }
  }
  return found;
}

bool ScaleLists::can_hold(size_t l, size_t t, float s) const {
  const ScaleLaw& law = index_->problem.laws[l];
  if (!couples(law)) return weighted_can_hold(law, t, s);
  const auto known = [&](size_t x) { return x == t ? s : single(x); };
  return holds(law, known(law.in), known(law.second), known(law.out));
}

bool ScaleLists::weighted_can_hold(const ScaleLaw& law, size_t t, float s) const {
  if (law.in == law.out) return holds(law, s, 0.0F, s);
  const bool writes = law.out == t;
  const auto others = options(writes ? law.in : law.out);
  if (others.empty()) return !writes || holds(law, 0.0F, 0.0F, s);
  return std::any_of(others.begin(), others.end(), [&](float other) {
    return writes ? holds(law, other, 0.0F, s) : holds(law, s, 0.0F, other);
  });
}

void ScaleLists::accept() {
  for (size_t t = 0; t < lists_.size(); ++t) {
    if (supposed_[t] != 0.0F) lists_[t] = {supposed_[t]};
    supposed_[t] = 0.0F;
  }
}

ScaleLists ScaleLists::shortened() const {
  ScaleLists copy = *this;
  copy.accept();
  copy.shorten();
  return copy;
}

void ScaleLists::settle() {
  accept();
  shorten();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t l = 0; l < broken_.size(); ++l) changed = derive_list(l) || changed;
    if (changed) shorten();
  }
}

// A list that follows from the others of its law.
bool ScaleLists::derive_list(size_t l) {
  const ScaleLaw& law = index_->problem.laws[l];
  if (!couples(law) || broken_[l]) return false;
  for (const size_t t : {law.in, law.second, law.out}) {
    if (t == kNoTensor || !lists_[t].empty()) continue;
    std::vector<float> found;
    for (const float s : derive(law, t, single(law.in), single(law.second), single(law.out))) {
      if (misses(t, s, 1) == 0) found.push_back(s);
    }
    if (found.empty()) continue;
    lists_[t] = std::move(found);
    return true;
  }
  return false;
}

// Takes out of the lists what no law between lists supports, until nothing changes.
void ScaleLists::shorten() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t l = 0; l < broken_.size(); ++l) {
      if (!broken_[l]) changed = shorten(l) || changed;
    }
  }
}

// A law that would leave nothing cannot hold and is put aside.
bool ScaleLists::shorten(size_t l) {
  const ScaleLaw& law = index_->problem.laws[l];
  static const std::vector<float> kAny{0.0F};
  const auto list = [&](size_t t) -> const std::vector<float>& {
    return t == kNoTensor || lists_[t].empty() ? kAny : lists_[t];
  };
  const bool pair = law.kind == ScaleLawKind::sum || law.kind == ScaleLawKind::product;
  const size_t second_tensor = pair && law.second != law.in ? law.second : kNoTensor;
  const size_t out_tensor = law.out == law.in ? kNoTensor : law.out;
  const auto& in = list(law.in);
  const auto& second = list(second_tensor);
  const auto& out = list(out_tensor);
  if (in.size() * second.size() * out.size() > kMostCombinations) return false;
  std::vector<bool> a(in.size()), b(second.size()), c(out.size());
  for (size_t i = 0; i < in.size(); ++i) {
    for (size_t j = 0; j < second.size(); ++j) {
      for (size_t k = 0; k < out.size(); ++k) {
        if (a[i] && b[j] && c[k]) continue;
        const float s2 = law.second == law.in ? in[i] : second[j];
        if (holds(law, in[i], s2, law.out == law.in ? in[i] : out[k])) a[i] = b[j] = c[k] = true;
      }
    }
  }
  if (std::find(a.begin(), a.end(), true) == a.end()) {
    broken_[l] = true;
    return false;
  }
  const bool x = keep(law.in, a);
  const bool y = keep(second_tensor, b);
  const bool z = keep(out_tensor, c);
  return x || y || z;
}

bool ScaleLists::keep(size_t t, const std::vector<bool>& supported) {
  if (t == kNoTensor || lists_[t].empty()) return false;
  std::vector<float> kept;
  for (size_t i = 0; i < supported.size(); ++i) {
    if (supported[i]) kept.push_back(lists_[t][i]);
  }
  if (kept.size() == lists_[t].size()) return false;
  lists_[t] = std::move(kept);
  return true;
}

}  // namespace edgetwin::edgetpu
