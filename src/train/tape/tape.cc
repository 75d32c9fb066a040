#include "train/tape/tape.h"

#include <algorithm>

namespace edgetwin::train {

Slot StepTape::add_input(size_t size) {
  slots_.push_back({size, false, false});
  values_.emplace_back();
  return static_cast<Slot>(slots_.size() - 1);
}

Slot StepTape::add_shared(Numbers values, bool trained) {
  slots_.push_back({values.size(), true, trained});
  values_.push_back(std::move(values));
  return static_cast<Slot>(slots_.size() - 1);
}

Slot StepTape::add(std::unique_ptr<Step> step, std::vector<Slot> operands, size_t size) {
  const auto all_shared = [&](Slot s) { return info(s).shared; };
  const auto wanted = [&](Slot s) { return info(s).wants; };
  const bool together = std::all_of(operands.begin(), operands.end(), all_shared);
  slots_.push_back({size, together, std::any_of(operands.begin(), operands.end(), wanted)});
  values_.emplace_back(together ? size : 0);
  const auto result = static_cast<Slot>(slots_.size() - 1);
  nodes_.push_back({std::move(step), std::move(operands), result});
  return result;
}

const Numbers& StepTape::values(const TapeRun& run, Slot s) const {
  return info(s).shared ? values_[static_cast<size_t>(s)] : run.values[static_cast<size_t>(s)];
}

void StepTape::refresh() {
  for (const Node& n : nodes_) {
    if (!info(n.result).shared) continue;
    std::vector<const Numbers*> in;
    for (const Slot s : n.operands) in.push_back(&values_[static_cast<size_t>(s)]);
    n.step->forward(in, values_[static_cast<size_t>(n.result)]);
  }
}

TapeRun StepTape::begin() const {
  TapeRun run;
  run.values.resize(slots_.size());
  run.gradients.resize(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].shared) continue;
    run.values[i].resize(slots_[i].size);
    if (slots_[i].wants) run.gradients[i].resize(slots_[i].size);
  }
  return run;
}

void StepTape::forward(TapeRun& run) const {
  std::vector<const Numbers*> in;
  for (const Node& n : nodes_) {
    if (info(n.result).shared) continue;
    in.clear();
    for (const Slot s : n.operands) in.push_back(&values(run, s));
    n.step->forward(in, run.values[static_cast<size_t>(n.result)]);
  }
}

SharedGradients StepTape::begin_gradients() const {
  SharedGradients shared(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].shared && slots_[i].wants) shared[i].resize(slots_[i].size);
  }
  return shared;
}

void StepTape::clear_gradients(TapeRun& run) {
  for (Numbers& g : run.gradients) std::fill(g.begin(), g.end(), 0.0);
}

void StepTape::back(const Node& node, TapeRun* run, SharedGradients& shared) const {
  if (!info(node.result).wants) return;
  std::vector<const Numbers*> in;
  std::vector<Numbers*> to;
  for (const Slot s : node.operands) {
    const auto i = static_cast<size_t>(s);
    in.push_back(info(s).shared ? &values_[i] : &run->values[i]);
    Numbers* target = info(s).shared ? &shared[i] : &run->gradients[i];
    to.push_back(info(s).wants ? target : nullptr);
  }
  const auto r = static_cast<size_t>(node.result);
  if (run == nullptr) {
    node.step->backward(in, values_[r], shared[r], to);
  } else {
    node.step->backward(in, run->values[r], run->gradients[r], to);
  }
}

void StepTape::backward(TapeRun& run, SharedGradients& shared) const {
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (!info(nodes_[i].result).shared) back(nodes_[i], &run, shared);
  }
}

void StepTape::finish(SharedGradients& shared) const {
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (info(nodes_[i].result).shared) back(nodes_[i], nullptr, shared);
  }
}

}  // namespace edgetwin::train
