// `info` by kind of file: each prints what is inside and adds it to `json`.
#pragma once

#include <string>

#include "base/bytes.h"
#include "cli/info/arguments.h"
#include "report/json.h"

namespace edgetwin::cli {

// The compiled operators of a .tflite file, after what is said of the model; or a package,
// executable or bitstream by itself.
Status describe_edgetpu(ByteSpan data, const std::string& file, Console& console,
                        report::Json& json);

// Of a compiled Edge TPU program: its layers, with the instructions, tiles and memory of each.
Status describe_program(ByteSpan data, const std::string& file, Console& console,
                        report::Json& json);

// Network descriptions, checkpoints and register programs of the MAX78000 and MAX78002.
bool is_max78_file(ByteSpan data);
Status describe_max78(ByteSpan data, const std::string& file, const InfoArguments& arguments,
                      Console& console, report::Json& json);

}  // namespace edgetwin::cli
