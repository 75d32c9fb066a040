// What a loaded network of the MAX7800x becomes for the chip, for rooms that loaded it themselves.
#pragma once

#include "edgetwin/compile.h"
#include "targets/max78/pipeline/load.h"

namespace edgetwin::twin {

// Adds texts and, where it is asked for, the project. The network fits its chip. Errors: those of
// max78::compile and max78::make_project.
Status add_compiled_files(const max78::LoadedNetwork& network, const CompileOptions& options,
                          Compiled& compiled);

}  // namespace edgetwin::twin
