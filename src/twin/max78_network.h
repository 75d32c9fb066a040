// Networks of the MAX78000 and MAX78002 behind the public face.
#pragma once

#include <memory>

#include "edgetwin/network.h"
#include "targets/max78/pipeline/load.h"

namespace edgetwin::twin {

// Description, parameters and the size of the input; the sample's numbers where one is named.
struct Max78Network {
  std::unique_ptr<const max78::LoadedNetwork> network;  // null where reading failed
  std::vector<Finding> findings;                        // errors too
  bool fits = false;
};

// `description` are the bytes of the file `name`; the other files are read from disk. Errors: usage
// where the target is missing or no MAX78000 or MAX78002, those of reading files.
Result<Max78Network> open_max78(ByteSpan description, const std::string& name,
                                const OpenOptions& options,
                                max78::SampleNeed need = max78::SampleNeed::size_only);

// The twin (layer by layer) or the machine (the register program executed). Errors: max78_rules.
Result<std::unique_ptr<Runner>> max78_runner(std::shared_ptr<const Max78Network> network,
                                             const RunnerOptions& options);

}  // namespace edgetwin::twin
