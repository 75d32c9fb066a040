// A network as a list of steps between slots, computed item by item. Slots that depend on
// parameters alone are computed once for all items. Specification: training, 16 and 17.
#pragma once

#include <string>

#include "train/tape/step.h"

namespace edgetwin::train {

using Slot = int32_t;

// The values and gradients of one item.
struct TapeRun {
  std::vector<Numbers> values, gradients;  // by slot; empty for shared slots
};
// Gradients of shared slots, by slot; empty where nobody asks.
using SharedGradients = std::vector<Numbers>;

class StepTape {
 public:
  Slot add_input(size_t size);
  // A constant, or a parameter that is trained.
  Slot add_shared(Numbers values, bool trained);
  Slot add(std::unique_ptr<Step> step, std::vector<Slot> operands, size_t size);

  size_t slots() const { return slots_.size(); }
  size_t size(Slot s) const { return slots_[static_cast<size_t>(s)].size; }
  bool shared(Slot s) const { return slots_[static_cast<size_t>(s)].shared; }
  bool wants_gradient(Slot s) const { return slots_[static_cast<size_t>(s)].wants; }
  const Numbers& shared_values(Slot s) const { return values_[static_cast<size_t>(s)]; }
  void set_shared(Slot s, const Numbers& values) { values_[static_cast<size_t>(s)] = values; }

  // Computes the shared slots that depend on others; after every change of a parameter.
  void refresh();
  TapeRun begin() const;
  const Numbers& values(const TapeRun& run, Slot s) const;
  // Inputs are in run.values already.
  void forward(TapeRun& run) const;
  SharedGradients begin_gradients() const;
  // The gradients of some slots are in run.gradients, all others 0. Adds to `shared`.
  void backward(TapeRun& run, SharedGradients& shared) const;
  // From shared slots that were computed to the parameters.
  void finish(SharedGradients& shared) const;
  static void clear_gradients(TapeRun& run);

 private:
  struct SlotInfo {
    size_t size = 0;
    bool shared = false, wants = false;
  };
  struct Node {
    std::unique_ptr<Step> step;
    std::vector<Slot> operands;
    Slot result = 0;
  };
  const SlotInfo& info(Slot s) const { return slots_[static_cast<size_t>(s)]; }
  void back(const Node& node, TapeRun* run, SharedGradients& shared) const;

  std::vector<SlotInfo> slots_;
  std::vector<Numbers> values_;  // of shared slots
  std::vector<Node> nodes_;
};

}  // namespace edgetwin::train
