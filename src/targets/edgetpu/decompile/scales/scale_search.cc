#include "targets/edgetpu/decompile/scales/scale_search.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu {
namespace {

constexpr float kStart = 0x1p-6F;
constexpr int kAny = 1 << 20;
constexpr uint64_t kNode = 8;  // a step of the search beside one scale that is tried
constexpr int kMostRejected = 4096;
// Mantissas of a part of the scan: a multiple of what own_ keeps in one word of bits.
constexpr uint32_t kPart = 1U << 14U;
static_assert(kPart % (OwnConditions::kBlock * 64) == 0);
constexpr int kPartsPerThread = 4;

}  // namespace

ScaleSearch::ScaleSearch(const ScaleIndex& index, ScaleLists& lists, const ScaleOptions& options)
    : index_(index),
      lists_(lists),
      own_(index),
      tries_(options.tries),
      patience_(uint64_t{options.patience} * options.tries),
      pool_(options.threads) {}

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

// ---- without broken laws
bool ScaleSearch::find_exact() {
  const ScaleDescentPlan plan(lead_, steps_, index_, own_, lists_);
  ScaleDescent descent(plan, index_, lists_, own_, [&](ScalePlaces& why) {
    const size_t without = tensor_without();
    if (without == kNoTensor && agrees()) return true;
    why = without == kNoTensor ? ScalePlaces::all() : plan.places_of(index_.laws[without], index_);
    ++rejected_;
    return false;
  });
  const std::vector<float> list = lists_.of(lead_);
  if (list.empty()) return scan_exact(plan, descent);
  return std::any_of(list.begin(), list.end(),
                     [&](float s) { return own_.allow(lead_, s) && descent.from(s, nodes_); });
}

// Parts of the scan in which nothing agrees are found side by side; what is left is the scan as it
// is defined, part after part.
bool ScaleSearch::scan_exact(const ScaleDescentPlan& plan, ScaleDescent& descent) {
  own_.prepare(lead_);
  const auto width = static_cast<uint32_t>(pool_.size() > 1 ? pool_.size() * kPartsPerThread : 0);
  bool together = width > 0 && tries_ >= width * kPart;
  for (uint32_t k = 0; k < tries_;) {
    const uint32_t parts = together ? std::min(width, (tries_ - k) / kPart) : 0;
    std::vector<std::optional<uint64_t>> vain = parts_in_vain(plan, k, parts);
    if (parts == 0) vain.resize(1);
    uint32_t alone = 0;
    for (const std::optional<uint64_t>& nodes : vain) {
      if (rejected_ >= kMostRejected || nodes_ > ScaleDescent::kMostNodes) return false;
      if (nodes && nodes_ + *nodes <= ScaleDescent::kMostNodes) {
        nodes_ += *nodes;
      } else {
        ++alone;
        descent.forget();
        if (scan_range(descent, k, std::min(k + kPart, tries_))) return true;
      }
      k += kPart;
    }
    // Where most parts have something that looks right they are only read twice.
    together = together && parts > 0 && alone <= parts / 2;
  }
  return false;
}

bool ScaleSearch::scan_range(ScaleDescent& descent, uint32_t first, uint32_t end) {
  return any_allowed(first, end,
                     [&](float s) { return rejected_ < kMostRejected && descent.from(s, nodes_); });
}

template <class Try>
bool ScaleSearch::any_allowed(uint32_t first, uint32_t end, const Try& tried) {
  for (uint32_t k = first; k < end; k += OwnConditions::kBlock) {
    uint64_t open = own_.allow_block(lead_, step_float(kStart, static_cast<int>(k)));
    if (end - k < OwnConditions::kBlock) open &= (uint64_t{1} << (end - k)) - 1;
    for (; open != 0; open &= open - 1) {
      if (tried(step_float(kStart, static_cast<int>(k) + std::countr_zero(open)))) return true;
    }
  }
  return false;
}

// By part: the steps that it takes to see that nothing in it agrees; nullopt: something might. Each
// thread supposes in lists of its own. The blocks of the lead that own_ remembers are of one part
// only; what it knows of other tensors is only read.
std::vector<std::optional<uint64_t>> ScaleSearch::parts_in_vain(const ScaleDescentPlan& plan,
                                                                uint32_t first, uint32_t parts) {
  std::vector<std::optional<uint64_t>> vain(parts);
  if (parts == 0) return vain;
  std::vector<ScaleLists> lists(static_cast<size_t>(pool_.size()), lists_);
  pool_.parallel_for(parts, 1, [&](int64_t begin, int64_t end, int worker) {
    ScaleLists& own_lists = lists[static_cast<size_t>(worker)];
    ScaleDescent descent(plan, index_, own_lists, own_, [](ScalePlaces&) { return true; });
    for (int64_t p = begin; p < end; ++p) {
      descent.forget();
      uint64_t nodes = 0;
      const uint32_t from = first + static_cast<uint32_t>(p) * kPart;
      if (any_allowed(from, from + kPart, [&](float s) { return descent.from(s, nodes); })) {
        own_lists.forget();
      } else {
        vain[static_cast<size_t>(p)] = nodes;
      }
    }
  });
  return vain;
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
  if (++nodes_ > ScaleDescent::kMostNodes && allowed_ <= kMostMisses) return false;
  if (depth == steps_.size()) {
    if (allowed_ > kMostMisses || (tensor_without() == kNoTensor && agrees())) return true;
    ++rejected_;
    return false;
  }
  const size_t tensor = steps_[depth].tensor;
  ScaleCandidates candidates = followers(steps_[depth], index_, lists_);
  if (candidates.empty()) {
    if (missed + 1 > allowed_) return false;
    const ScaleLaw& law = index_.problem.laws[steps_[depth].law];
    candidates.push_back(estimate(law, tensor, lists_.single(law.in), lists_.single(law.second),
                                  lists_.single(law.out)));
  }
  for (const float s : candidates) {
    if (!usable_scale(s) || (allowed_ <= kMostMisses && !lists_.listed(tensor, s))) continue;
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
bool ScaleSearch::agrees() const {
  return lists_.shortened().broken() <= lists_.broken() + static_cast<size_t>(allowed_);
}

// A tensor without a list, that convolutions connect with what was just chosen, for which that
// leaves no scale. Where hundreds of channels meet they have few, or with the wrong choice none.
size_t ScaleSearch::tensor_without() {
  for (size_t t = 0; t < index_.problem.tensors(); ++t) {
    if (lists_.supposed(t) == 0.0F) continue;
    for (const size_t l : index_.laws[t]) {
      const ScaleLaw& law = index_.problem.laws[l];
      const size_t other = law.out == t ? law.in : law.out;
      if (couples(law) || lists_.broken(l) || other == kNoTensor) continue;
      const bool open = lists_.of(other).empty() && lists_.supposed(other) == 0.0F;
      if (open && !possible(other)) return other;
    }
  }
  return kNoTensor;
}

// Whether one of the scales that are possible for `t` by itself goes with what is chosen. They are
// collected only as far as they are asked for: mostly one of the first will do.
bool ScaleSearch::possible(size_t t) {
  constexpr uint32_t kFirst = 1024;
  const ScaleChecks checks = checks_of(t, lists_);
  Pool& pool = pools_[t];
  for (size_t n = 0;; ++n) {
    if (n == pool.scales.size()) {
      if (patience_ == 0 && pool.next >= kFirst) return true;
      if (!extend(t, pool)) break;
    }
    if (passes(checks, pool.scales[n], lists_, own_)) return true;
  }
  if (pool.scales.empty()) return true;
  patience_ -= std::min<uint64_t>(patience_, pool.scales.size());
  return false;
}

// False: there are no more.
bool ScaleSearch::extend(size_t t, Pool& pool) {
  std::vector<float> supposed = lists_.forget();
  const ScaleChecks checks = checks_of(t, lists_);
  const size_t before = pool.scales.size();
  while (pool.next < tries_ && pool.scales.size() == before) {
    uint64_t open = own_.allow_block(t, step_float(kStart, static_cast<int>(pool.next)));
    for (; open != 0; open &= open - 1) {
      const auto n = pool.next + static_cast<uint32_t>(std::countr_zero(open));
      const float s = step_float(kStart, static_cast<int>(n));
      if (n < tries_ && passes(checks, s, lists_, own_)) pool.scales.push_back(s);
    }
    pool.next += OwnConditions::kBlock;
  }
  lists_.recall(std::move(supposed));
  return pool.scales.size() > before;
}

}  // namespace edgetwin::edgetpu
