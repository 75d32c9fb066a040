#include "train/tune/gradients.h"

#include <algorithm>

#include "train/engine/maps.h"

namespace edgetwin::train {

BatchGradients::BatchGradients(const TunedNetwork& network, ThreadPool& pool)
    : network_(network), pool_(pool) {
  for (int i = 0; i < pool.size(); ++i) runs_.push_back(network.tape().begin());
}

PartScore BatchGradients::run(size_t items, const Fill& fill, const Judge& judge) {
  if (chunks_.empty()) {
    for (int i = 0; i < kChunks; ++i) chunks_.push_back(network_.tape().begin_gradients());
    sums_ = network_.tape().begin_gradients();
  }
  const PartScore score = all(items, fill, judge, true);
  for (size_t s = 0; s < sums_.size(); ++s) {
    std::fill(sums_[s].begin(), sums_[s].end(), 0.0);
    for (const SharedGradients& chunk : chunks_) {
      for (size_t i = 0; i < sums_[s].size(); ++i) sums_[s][i] += chunk[s][i];
    }
  }
  network_.tape().finish(sums_);
  return score;
}

PartScore BatchGradients::judge(size_t items, const Fill& fill, const Judge& judge) {
  return all(items, fill, judge, false);
}

PartScore BatchGradients::all(size_t items, const Fill& fill, const Judge& judge, bool gradients) {
  const StepTape& tape = network_.tape();
  std::vector<ItemLoss> losses(items);
  pool_.parallel_for(kChunks, 1, [&](int64_t first, int64_t last, int worker) {
    TapeRun& run = runs_[static_cast<size_t>(worker)];
    for (int64_t chunk = first; chunk < last; ++chunk) {
      const int at = static_cast<int>(chunk);
      if (gradients) {
        for (Numbers& g : chunks_[static_cast<size_t>(chunk)]) std::fill(g.begin(), g.end(), 0.0);
      }
      const int end = chunk_begin(static_cast<int>(items), at + 1);
      for (int i = chunk_begin(static_cast<int>(items), at); i < end; ++i) {
        const auto item = static_cast<size_t>(i);
        fill(item, run);
        tape.forward(run);
        if (gradients) StepTape::clear_gradients(run);
        losses[item] = judge(item, run);
        if (gradients) tape.backward(run, chunks_[static_cast<size_t>(chunk)]);
      }
    }
  });
  PartScore score;
  for (const ItemLoss& l : losses) score.add(l);
  return score;
}

}  // namespace edgetwin::train
