// Losses and gradients of a batch. A batch is cut into 16 chunks whatever the number of threads;
// their sums are added in the order of the chunks.
#pragma once

#include "base/parallel.h"
#include "train/tune/target_loss.h"
#include "train/tune/tuned_network.h"

namespace edgetwin::train {

class BatchGradients {
 public:
  BatchGradients(const TunedNetwork& network, ThreadPool& pool);

  // Calls item(index in the batch, run) for each item: it fills the inputs, and after forward() of
  // the tape the gradients of slots; returns the loss.
  using Fill = std::function<void(size_t, TapeRun&)>;
  using Judge = std::function<ItemLoss(size_t, TapeRun&)>;
  // Gradients stay in gradients() until the next call.
  PartScore run(size_t items, const Fill& fill, const Judge& judge);
  // The same without gradients.
  PartScore judge(size_t items, const Fill& fill, const Judge& judge);
  const Numbers& gradient(Slot s) const { return sums_[static_cast<size_t>(s)]; }

 private:
  PartScore all(size_t items, const Fill& fill, const Judge& judge, bool gradients);

  const TunedNetwork& network_;
  ThreadPool& pool_;
  std::vector<TapeRun> runs_;            // by worker
  std::vector<SharedGradients> chunks_;  // by chunk
  SharedGradients sums_;
};

}  // namespace edgetwin::train
