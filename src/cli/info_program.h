// `info --program`: the layers of a compiled Edge TPU program, with the instructions, tiles and
// memory of each.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "cli/console.h"

namespace edgetwin::cli {

Status describe_program(ByteSpan data, const std::string& file, Console& console,
                        report::Json& json);

}  // namespace edgetwin::cli
