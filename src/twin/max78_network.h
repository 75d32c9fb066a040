// Networks of the MAX78000 and MAX78002 behind the public face.
#pragma once

#include <memory>
#include <optional>

#include "edgetwin/network.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/program/program_text.h"

namespace edgetwin::twin {

// Description, parameters and the size of the input; the sample's numbers where one is named.
struct Max78Network {
  std::unique_ptr<const max78::LoadedNetwork> network;  // null where reading failed
  std::vector<Finding> findings;                        // errors too
  bool fits = false;
  // Of a network whose parameters were not named: it has a kind and a target, and does not compute.
  std::optional<Error> failure;
  // Computed instead of the network's own; it has its own input.
  std::optional<max78::ProgramText> program;
};

// `description` are the bytes of the file `name`; the other files are read from disk. Errors: usage
// where the target is missing or no MAX78000 or MAX78002, those of reading files.
Result<Max78Network> open_max78(ByteSpan description, const std::string& name,
                                const OpenOptions& options,
                                max78::SampleNeed need = max78::SampleNeed::size_only,
                                bool makes_rtl = false);

// What open_max78() reads, a picture or sound already as an array. `note` is a warning of what was
// cut or added. Errors: usage, those of reading the sample.
Result<max78::NetworkSources> max78_sources(ByteSpan description, const std::string& name,
                                            const OpenOptions& options,
                                            std::optional<Finding>& note, bool makes_rtl = false);

// A register program; its network is options.network, its chip what its addresses tell. Errors:
// usage without a network, max78_program_text, those of open_max78.
Result<Max78Network> open_max78_program(ByteSpan text, const std::string& name,
                                        const OpenOptions& options);

// The twin (layer by layer) or the machine (the register program executed). Errors: max78_rules.
Result<std::unique_ptr<Runner>> max78_runner(std::shared_ptr<const Max78Network> network,
                                             const RunnerOptions& options);

}  // namespace edgetwin::twin
