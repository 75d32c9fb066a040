// Operators that move elements and do not change them.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
Result<Prepared> prepare_concatenation(
    const OpContext& c);  // rescales uint8 operands, as TensorFlow Lite
[[gnu::cold]] Result<Prepared> prepare_raw_concatenation(const OpContext& c);  // of ONNX and ESP-DL
[[gnu::cold]] Result<Prepared> prepare_reshape(const OpContext& c);  // RESHAPE SQUEEZE EXPAND_DIMS
[[gnu::cold]] Result<Prepared> prepare_shape(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_pack(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_unpack(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_split(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_split_sizes(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_slice(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_slice_steps(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_strided_slice(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_tile(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_transpose(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_space_to_depth(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_depth_to_space(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_space_to_depth_of_onnx(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_depth_to_space_of_onnx(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_pad(const OpContext& c);  // PAD PADV2
[[gnu::cold]] Result<Prepared> prepare_border_pad(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_insert_zeros(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_gather(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_gather_nd(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_scatter_nd(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_reverse_sequence(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_streaming_cache(const OpContext& c);

}  // namespace edgetwin::ops
