// Compiled Edge TPU models on the command line: what `info`, `check` and `diff` say of them.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/check_sheet.h"
#include "cli/console.h"
#include "formats/darwinn/darwinn.h"
#include "report/json.h"

namespace edgetwin::cli {

// What the content holds for an Edge TPU; nothing: it is no such file.
std::optional<darwinn::Container> edgetpu_container(ByteSpan data);

// `info` of the compiled operators in a .tflite file, behind what it says of the model; or of a
// package, executable or bitstream by itself.
Status describe_edgetpu(ByteSpan data, const std::string& file, Console& console,
                        report::Json& json);

// `check` of one.
Result<int> check_edgetpu(const CheckArguments& arguments, ByteSpan data, Console& console);

// The lines of `diff` in which the compiled operators of two files differ.
Result<std::vector<std::string>> diff_edgetpu(const DiffArguments& arguments, ByteSpan a,
                                              ByteSpan b, Console& console);

// `verify` of a compiled .tflite: executed by the machine, and held against the model that was
// compiled.
Result<int> verify_edgetpu(const VerifyArguments& arguments, CheckSheet& sheet);

}  // namespace edgetwin::cli
