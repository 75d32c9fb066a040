// The decoders of ESP-DL's models by name; the table is decoders.def.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// What decoders without a network read: files by the names in P.json.
using LoadArray = std::function<Result<Tensor>(const std::string& file)>;

// All names, in the order of the table; those without outputs come last.
std::vector<std::string> decoder_names();
bool is_decoder(std::string_view name);
// Does this decoder take files that P.json names instead of a network's outputs?
bool takes_files(std::string_view name);

// `names` are those of classes, or the dictionary of texts; empty: the decoder's own.
// Errors: usage for an unknown name, and those of the decoders (decode_maps, bad_value).
Result<Decoded> decode(std::string_view decoder, std::span<const Tensor> outputs,
                       const Params& params, std::vector<std::string> names = {});

// espdl-match, espdl-motion, espdl-color, espdl-fbank. Errors: those of `load` and of the decoders.
Result<Decoded> decode_files(std::string_view decoder, const Params& params, const LoadArray& load);

}  // namespace edgetwin::espdl_decode
