// Stages on their way to layers: what all parts of the search share.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/operands/layer.h"
#include "targets/edgetpu/decompile/operands/lstm_stages.h"

namespace edgetwin::edgetpu {

// Shares of what is read by who made it.
using Shares = std::map<Producer, double>;

struct LayerSearch {
  const darwinn::Executable& inference;
  const darwinn::Executable* caching;  // may be null
  std::vector<Extent2D> given{};       // by input: the size that the network names; may be empty
  Resident resident{};
  Layers result{};
  std::vector<int> layer_of{};                    // by stage; -1: a copy
  std::map<size_t, Shares> copied{};              // by stage that is a copy: who made what it reads
  std::vector<size_t> used_dense{};               // resident blocks that layers took
  std::map<size_t, std::vector<size_t>> pairs{};  // by layer that is the greatest of a window: the
                                                  // first sums of its pairs
  std::optional<LstmStages> lstm{};
  std::optional<size_t> lstm_layer{};

  const std::vector<Stage>& stages() const { return result.replay.stages; }
};

}  // namespace edgetwin::edgetpu
