// The score of the integer network in the arithmetic of its chip.
#pragma once

#include <span>

#include "base/parallel.h"
#include "quantize/espdl/quantize.h"
#include "train/tune/target_loss.h"

namespace edgetwin::train {

struct TwinScore {
  PartScore score;
  std::vector<std::string> warnings;  // of the runs, each once: sums that left the chip's lanes
};

// Errors: those of exec::Session.
Result<TwinScore> twin_score(const quantize::Quantized& quantized,
                             const quantize::Settings& settings, const OutputForm& form,
                             bool softmax, const Items& items, std::span<const uint32_t> which,
                             ThreadPool& pool);

}  // namespace edgetwin::train
