// What the outputs of a compiled model mean, wherever it was computed.
#pragma once

#include <optional>
#include <vector>

#include "cli/run/arguments.h"
#include "edgetwin/decode.h"
#include "twin/runners.h"

namespace edgetwin::cli {

// How pictures come to the size of the input: as the decoder's network was trained.
Resize resize_for(const RunArguments& a);

// --decode; nothing without it. Errors: those of decode_outputs.
Result<std::optional<Decoded>> decode_computed(const RunArguments& a, const twin::DecoderView& view,
                                               const Inputs& inputs,
                                               const std::vector<Tensor>& outputs,
                                               const Labels& labels);
// Prints it, or with --labels alone the best classes; writes --image.
Status show_computed(const RunArguments& a, const std::vector<Tensor>& outputs,
                     const Labels& labels, const std::optional<Decoded>& decoded, Console& console);

}  // namespace edgetwin::cli
