// The places that `run` writes to.
#pragma once

#include <optional>

#include "base/file.h"
#include "cli/run/arguments.h"

namespace edgetwin::cli {

// Where results go; made before the computation, so that a place that cannot be written is known
// early. The folders appear only once everything that can fail has been written.
struct OutputFolders {
  std::optional<AtomicFolder> output, trace;
};

// Errors: usage where the folders lie in each other, output_exists, file_write.
Result<OutputFolders> open_folders(const RunArguments& a);
Status commit(OutputFolders& folders);

}  // namespace edgetwin::cli
