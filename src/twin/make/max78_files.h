// What a loaded network of the MAX7800x becomes for the chip, for rooms that loaded it themselves.
#pragma once

#include "edgetwin/compile.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/project/pair.h"

namespace edgetwin::twin {

// Adds texts and, where it is asked for, the project. The network fits its chip. Errors: those of
// max78::compile and max78::make_project.
Status add_compiled_files(const max78::LoadedNetwork& network, const CompileOptions& options,
                          Compiled& compiled);

// Two networks of one chip in one program. Both were loaded with write_zero_registers, and where
// memory is divided the second one with weight_start after the first one's kernels.
struct PairRequest {
  const max78::LoadedNetwork* first = nullptr;
  const max78::LoadedNetwork* second = nullptr;
  std::string first_name, second_name;
  max78::PairMemory memory = max78::PairMemory::divided;
  CompileOptions options;
};
// Adds program, known answer of the second one and, where it is asked for, the project, after the
// machine has executed both. Errors: internal where it parts; those of max78::make_pair.
Status add_pair_files(const PairRequest& request, Compiled& compiled);

}  // namespace edgetwin::twin
