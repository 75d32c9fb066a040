// The source that a command line names.
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/streams/stream_arguments.h"
#include "signals/stream/source.h"

namespace edgetwin::cli {

// Errors: usage where an option does not go with this source, those of open_recording,
// synthetic_source and receiver_source.
Result<std::unique_ptr<signals::SampleSource>> source_of(const StreamArguments& a);

// A source without an end of its own.
bool is_endless(const StreamArguments& a);

}  // namespace edgetwin::cli
