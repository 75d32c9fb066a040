// Parameters belong to layers by position: with another order of layers they need one, too.
#pragma once

#include <optional>

#include "targets/max78/pipeline/load.h"

namespace edgetwin::max78 {

// The checkpoint in the planned order of `network`, which was loaded from `sources`. Nothing where
// its order suits as it is. Errors: those of reading; usage where the parameters are .npy arrays,
// or the text of the description has no form for that order.
Result<std::optional<Bytes>> reordered_checkpoint(const NetworkSources& sources,
                                                  const LoadedNetwork& network);

}  // namespace edgetwin::max78
