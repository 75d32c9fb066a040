// Classes, features and their comparison, as ESP-DL's post-processors compute them.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// Of the only output (1, classes): softmax without subtracting the maximum, as a table of expf and
// a sum in single precision; over the threshold, by falling score, the first top_k. Error:
// decode_maps.
Result<Decoded> decode_imagenet(std::span<const Tensor> outputs, const Params& params);  // 5
Result<Decoded> decode_gesture(std::span<const Tensor> outputs, const Params& params);   // 1

// Of the only output: real values divided by their length, which is a root by Newton's steps. Gives
// the array `feature`. Error: decode_maps.
Result<Decoded> decode_feature(std::span<const Tensor> outputs, const Params& params);

// The similarity of `query` with each of `database` (float32, enrolled in this order; `deleted` has
// ids from 1 that were removed), in single precision. The id of a match is the position among those
// that are left, from 1, as the runtime returns it. Error: decode_maps for features of another
// length or type.
Result<Decoded> match_features(const Tensor& query, std::span<const Tensor> database,
                               const Params& params);

}  // namespace edgetwin::espdl_decode
