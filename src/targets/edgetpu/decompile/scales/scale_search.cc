#include "targets/edgetpu/decompile/scales/scale_search.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu {
namespace {

constexpr float kStart = 0x1p-6F;
constexpr int kAny = 1 << 20;
constexpr uint64_t kMostNodes = 1U << 26U;
constexpr uint64_t kNode = 8;  // a step of the search beside one scale that is tried
constexpr int kMostRejected = 4096;

}  // namespace

ScaleSearch::ScaleSearch(const ScaleIndex& index, ScaleLists& lists, uint32_t tries)
    : index_(index), lists_(lists), own_(index), tries_(tries), patience_(uint64_t{64} * tries) {}

void ScaleSearch::begin(size_t lead, std::vector<ScaleOrder::Step> steps) {
  own_.update(lists_);
  lead_ = lead;
  steps_ = std::move(steps);
  pools_.clear();
}

bool ScaleSearch::find(int allowed) {
  if (allowed > 0) return answer(allowed);
  Question asked = question();
  const auto known = answers_.find(asked);
  if (known != answers_.end() && known->second.patience < patience_) return recall(known->second);
  const uint64_t before = patience_;
  const bool found = answer(0);
  answers_[std::move(asked)] = take_answer(found, before);
  return found;
}

bool ScaleSearch::answer(int allowed) {
  allowed_ = allowed;
  nodes_ = 0;
  rejected_ = 0;
  const bool found = allowed == 0 ? find_exact() : scan();
  if (!found) patience_ -= std::min(patience_, tries_ + kNode * nodes_);
  return found;
}

bool ScaleSearch::recall(const Answer& known) {
  patience_ -= known.patience;
  if (!known.found) return false;
  lists_.suppose(lead_, known.scales[0]);
  for (size_t i = 0; i < steps_.size(); ++i) {
    lists_.suppose(steps_[i].tensor, known.scales[i + 1]);
  }
  return true;
}

ScaleSearch::Answer ScaleSearch::take_answer(bool found, uint64_t before) const {
  Answer a{found, {}, before - patience_};
  if (!found) return a;
  a.scales.push_back(lists_.supposed(lead_));
  for (const ScaleOrder::Step& s : steps_) a.scales.push_back(lists_.supposed(s.tensor));
  return a;
}

// The lists that a search reads: those of the group, of what its laws touch, of what convolutions
// connect with that where it has no list (possible() asks its laws), and of all that shorter lists
// shorten.
ScaleSearch::Question ScaleSearch::question() const {
  std::vector<size_t> region{lead_};
  for (const ScaleOrder::Step& s : steps_) region.push_back(s.tensor);
  const size_t group = region.size();
  size_t open = 0;  // the first tensor beside those that a law of the group touches
  Question q{lead_, group};
  for (size_t i = 0; i < region.size(); ++i) {
    if (i == group) open = region.size();
    const size_t t = region[i];
    const auto& list = lists_.of(t);
    q.push_back(t);
    q.push_back(list.size());
    for (const float s : list) q.push_back(std::bit_cast<uint32_t>(s));
    const bool asked = i < group || list.size() > 1 || (list.empty() && i < open);
    if (!asked) continue;
    for (const size_t l : index_.laws[t]) {
      const ScaleLaw& law = index_.problem.laws[l];
      q.push_back(2 * l + (lists_.broken(l) ? 1 : 0));
      for (const size_t n : {law.in, law.second, law.out}) {
        if (n == kNoTensor) continue;
        if (std::find(region.begin(), region.end(), n) == region.end()) region.push_back(n);
      }
    }
  }
  for (const ScaleOrder::Step& s : steps_) q.push_back(s.law);
  return q;
}

void ScaleSearch::take_any() {
  allowed_ = kAny;
  try_lead(lists_.of(lead_).empty() ? kStart : lists_.of(lead_).front());
}

bool ScaleSearch::listed(size_t tensor, float s) const {
  const auto& list = lists_.of(tensor);
  return list.empty() || std::find(list.begin(), list.end(), s) != list.end();
}

// ---- without broken laws
bool ScaleSearch::find_exact() {
  prepare_checks();
  const std::vector<float> list = lists_.of(lead_);
  if (list.empty()) return scan_exact();
  return std::any_of(list.begin(), list.end(),
                     [&](float s) { return own_.allow(lead_, s) && try_exact(s); });
}

bool ScaleSearch::scan_exact() {
  for (uint32_t k = 0; k < tries_; k += OwnConditions::kBlock) {
    uint64_t open = own_.allow_block(lead_, step_float(kStart, static_cast<int>(k)));
    if (tries_ - k < OwnConditions::kBlock) open &= (uint64_t{1} << (tries_ - k)) - 1;
    for (; open != 0 && rejected_ < kMostRejected; open &= open - 1) {
      const int n = static_cast<int>(k) + std::countr_zero(open);
      if (try_exact(step_float(kStart, n))) return true;
    }
  }
  return false;
}

bool ScaleSearch::try_exact(float s) {
  if (!passes(checks_[0], s)) return false;
  lists_.suppose(lead_, s);
  ++nodes_;
  const bool done = steps_.empty() ? agrees() : descend_exact(0, follow(0));
  if (!done) lists_.suppose(lead_, 0.0F);
  return done;
}

ScaleCandidates ScaleSearch::follow(size_t depth) const {
  const ScaleLaw& law = index_.problem.laws[steps_[depth].law];
  return derive(law, steps_[depth].tensor, lists_.single(law.in), lists_.single(law.second),
                lists_.single(law.out));
}

// What follows from a scale is asked before its own conditions: mostly nothing follows.
bool ScaleSearch::descend_exact(size_t depth, const ScaleCandidates& candidates) {
  if (nodes_ > kMostNodes) return false;
  const size_t tensor = steps_[depth].tensor;
  const bool last = depth + 1 == steps_.size();
  for (const float s : candidates) {
    if (!listed(tensor, s)) continue;
    ++nodes_;
    lists_.suppose(tensor, s);
    const ScaleCandidates next = last ? ScaleCandidates{} : follow(depth + 1);
    if ((last || !next.empty()) && own_.allow(tensor, s) && passes(checks_[depth + 1], s) &&
        (last ? agrees() : descend_exact(depth + 1, next))) {
      return true;
    }
    lists_.suppose(tensor, 0.0F);
  }
  return false;
}

ScaleSearch::Checks ScaleSearch::checks_of(size_t tensor) const {
  return {tensor, lists_.laws_between(tensor)};
}

// Which laws bind a tensor to others depends on what is known when its turn comes, and not on the
// scales; so any will do here.
void ScaleSearch::prepare_checks() {
  checks_ = {checks_of(lead_)};
  lists_.suppose(lead_, kStart);
  for (const ScaleOrder::Step& s : steps_) {
    checks_.push_back(checks_of(s.tensor));
    lists_.suppose(s.tensor, kStart);
  }
  lists_.forget();
}

bool ScaleSearch::passes(const Checks& checks, float s) const {
  if (own_.skipped(checks.tensor)) return lists_.misses(checks.tensor, s, 1) == 0;
  return std::all_of(checks.laws.begin(), checks.laws.end(),
                     [&](size_t l) { return lists_.can_hold(l, checks.tensor, s); });
}

// ---- with broken laws
bool ScaleSearch::scan() {
  const std::vector<float> list = lists_.of(lead_);
  if (!list.empty()) {
    return std::any_of(list.begin(), list.end(), [&](float s) { return try_lead(s); });
  }
  for (uint32_t k = 0; k < tries_ && rejected_ < kMostRejected; ++k) {
    if (try_lead(step_float(kStart, static_cast<int>(k)))) return true;
  }
  return false;
}

bool ScaleSearch::try_lead(float s) {
  const int missed = lists_.misses(lead_, s, allowed_ + 1);
  if (missed > allowed_) return false;
  lists_.suppose(lead_, s);
  const bool done = descend(0, missed);
  if (!done) lists_.suppose(lead_, 0.0F);
  return done;
}

bool ScaleSearch::descend(size_t depth, int missed) {
  if (++nodes_ > kMostNodes && allowed_ <= kMostMisses) return false;
  if (depth == steps_.size()) return agrees();
  const size_t tensor = steps_[depth].tensor;
  ScaleCandidates candidates = follow(depth);
  if (candidates.empty()) {
    if (missed + 1 > allowed_) return false;
    const ScaleLaw& law = index_.problem.laws[steps_[depth].law];
    candidates.push_back(estimate(law, tensor, lists_.single(law.in), lists_.single(law.second),
                                  lists_.single(law.out)));
  }
  for (const float s : candidates) {
    if (!usable_scale(s) || (allowed_ <= kMostMisses && !listed(tensor, s))) continue;
    const int more = lists_.misses(tensor, s, allowed_ - missed + 1);
    if (missed > allowed_ - more) continue;
    lists_.suppose(tensor, s);
    if (descend(depth + 1, missed + more)) return true;
    lists_.suppose(tensor, 0.0F);
  }
  return false;
}

// ---- what was chosen and what is around it
// Whether the lists around still leave every law something.
bool ScaleSearch::agrees() {
  if (allowed_ > kMostMisses) return true;
  const ScaleLists with = lists_.shortened();
  const size_t most = lists_.broken() + static_cast<size_t>(allowed_);
  if (with.broken() <= most && neighbours_possible(with)) return true;
  ++rejected_;
  return false;
}

// Whether tensors without a list, that convolutions connect with what was just chosen, still have
// a scale. Where hundreds of channels meet they have few, or with the wrong choice none.
bool ScaleSearch::neighbours_possible(const ScaleLists& with) {
  for (size_t t = 0; t < index_.problem.tensors(); ++t) {
    if (lists_.supposed(t) == 0.0F) continue;
    for (const size_t l : index_.laws[t]) {
      const ScaleLaw& law = index_.problem.laws[l];
      const size_t other = law.out == t ? law.in : law.out;
      if (couples(law) || lists_.broken(l) || other == kNoTensor) continue;
      if (with.of(other).empty() && !possible(other)) return false;
    }
  }
  return true;
}

// Whether one of the scales that are possible for `t` by itself goes with what is chosen. They are
// collected only as far as they are asked for: mostly one of the first will do.
bool ScaleSearch::possible(size_t t) {
  constexpr uint32_t kFirst = 1024;
  const Checks checks = checks_of(t);
  Pool& pool = pools_[t];
  for (size_t n = 0;; ++n) {
    if (n == pool.scales.size()) {
      if (patience_ == 0 && pool.next >= kFirst) return true;
      if (!extend(t, pool)) break;
    }
    if (passes(checks, pool.scales[n])) return true;
  }
  if (pool.scales.empty()) return true;
  patience_ -= std::min<uint64_t>(patience_, pool.scales.size());
  return false;
}

// False: there are no more.
bool ScaleSearch::extend(size_t t, Pool& pool) {
  std::vector<float> supposed = lists_.forget();
  const Checks checks = checks_of(t);
  const size_t before = pool.scales.size();
  while (pool.next < tries_ && pool.scales.size() == before) {
    uint64_t open = own_.allow_block(t, step_float(kStart, static_cast<int>(pool.next)));
    for (; open != 0; open &= open - 1) {
      const auto n = pool.next + static_cast<uint32_t>(std::countr_zero(open));
      const float s = step_float(kStart, static_cast<int>(n));
      if (n < tries_ && passes(checks, s)) pool.scales.push_back(s);
    }
    pool.next += OwnConditions::kBlock;
  }
  lists_.recall(std::move(supposed));
  return pool.scales.size() > before;
}

}  // namespace edgetwin::edgetpu
