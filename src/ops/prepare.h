// One function per operator that checks an instance and makes its kernel. Those that only move
// bytes exist once; those with arithmetic are templates over the flavour, instantiated in their
// own .cc file for every row of flavours.def.
#pragma once

#include "ops/kernel.h"

namespace edgetwin::ops {

// The whole set of a family: one function that chooses among those below.
template <class F>
Result<Prepared> prepare_tflite(const OpContext& c);
template <class F>
Result<Prepared> prepare_espdl(const OpContext& c);
template <class F>
Result<Prepared> prepare_onnx(const OpContext& c);
template <class F>
Result<Prepared> prepare_edgetpu(const OpContext& c);

// Arithmetic by the flavour.
template <class F>
Result<Prepared> prepare_conv_2d(const OpContext& c);
template <class F>
Result<Prepared> prepare_depthwise_conv_2d(const OpContext& c);
template <class F>
Result<Prepared> prepare_fully_connected(const OpContext& c);
template <class F>
Result<Prepared> prepare_transpose_conv(const OpContext& c);
template <class F>
Result<Prepared> prepare_binary(const OpContext& c);  // ADD SUB MUL, of ESP-DL DIV POW MOD
template <class F>
Result<Prepared> prepare_pool(const OpContext& c);
template <class F>
Result<Prepared> prepare_reduce(const OpContext& c);  // MEAN SUM
template <class F>
Result<Prepared> prepare_unary(const OpContext& c);  // RELU… LOGISTIC TANH HARD_SWISH
template <class F>
Result<Prepared> prepare_softmax(const OpContext& c);
template <class F>
Result<Prepared> prepare_l2_normalization(const OpContext& c);
template <class F>
Result<Prepared> prepare_quantize(const OpContext& c);
template <class F>
Result<Prepared> prepare_concatenation(const OpContext& c);
template <class F>
Result<Prepared> prepare_resize_bilinear(const OpContext& c);
template <class F>
Result<Prepared> prepare_lstm(const OpContext& c);

// Operators of ESP-DL.
template <class F>
Result<Prepared> prepare_matmul(const OpContext& c);
template <class F>
Result<Prepared> prepare_clip(const OpContext& c);
template <class F>
Result<Prepared> prepare_prelu(const OpContext& c);
template <class F>
Result<Prepared> prepare_lut(const OpContext& c);
template <class F>
Result<Prepared> prepare_assign(const OpContext& c);  // quantize dequantize requantize identity
template <class F>
Result<Prepared> prepare_norm(const OpContext& c);  // layer_norm rms_norm lp_norm
template <class F>
Result<Prepared> prepare_resize(const OpContext& c);
template <class F>
Result<Prepared> prepare_recurrent(const OpContext& c);  // gru lstm
Result<Prepared> prepare_raw_concatenation(const OpContext& c);
Result<Prepared> prepare_compare(
    const OpContext& c);  // equal greater greater_equal less less_equal

// Operators of ONNX networks in float32, whose channels come before the axes of the picture.
namespace onnx {
Result<Prepared> prepare_conv(const OpContext& c);  // also depthwise
Result<Prepared> prepare_gemm(const OpContext& c);
Result<Prepared> prepare_matmul(const OpContext& c);
Result<Prepared> prepare_pool(const OpContext& c);
Result<Prepared> prepare_resize(const OpContext& c);
Result<Prepared> prepare_clip(const OpContext& c);
Result<Prepared> prepare_prelu(const OpContext& c);
Result<Prepared> prepare_norm(const OpContext& c);
Result<Prepared> prepare_depth_to_space(const OpContext& c);
Result<Prepared> prepare_space_to_depth(const OpContext& c);
Result<Prepared> prepare_insert_zeros(const OpContext& c);
}  // namespace onnx

// The same in every flavour.
Result<Prepared> prepare_dequantize(const OpContext& c);
Result<Prepared> prepare_squared_difference(const OpContext& c);
Result<Prepared> prepare_min_max(const OpContext& c);  // MAXIMUM MINIMUM
Result<Prepared> prepare_div(const OpContext& c);
Result<Prepared> prepare_floor_div(const OpContext& c);
Result<Prepared> prepare_float_unary(const OpContext& c);  // SQRT RSQRT
Result<Prepared> prepare_arg_max(const OpContext& c);
Result<Prepared> prepare_cast(const OpContext& c);
Result<Prepared> prepare_resize_nearest_neighbor(const OpContext& c);
Result<Prepared> prepare_detection_postprocess(const OpContext& c);
Result<Prepared> prepare_posenet_decoder(const OpContext& c);

// Data movement.
Result<Prepared> prepare_reshape(const OpContext& c);  // RESHAPE SQUEEZE EXPAND_DIMS
Result<Prepared> prepare_shape(const OpContext& c);
Result<Prepared> prepare_pack(const OpContext& c);
Result<Prepared> prepare_unpack(const OpContext& c);
Result<Prepared> prepare_split(const OpContext& c);
Result<Prepared> prepare_slice(const OpContext& c);
Result<Prepared> prepare_strided_slice(const OpContext& c);
Result<Prepared> prepare_transpose(const OpContext& c);
Result<Prepared> prepare_space_to_depth(const OpContext& c);
Result<Prepared> prepare_depth_to_space(const OpContext& c);
Result<Prepared> prepare_pad(const OpContext& c);  // PAD PADV2
Result<Prepared> prepare_gather(const OpContext& c);
Result<Prepared> prepare_gather_nd(const OpContext& c);
Result<Prepared> prepare_split_sizes(const OpContext& c);
Result<Prepared> prepare_border_pad(const OpContext& c);
Result<Prepared> prepare_slice_steps(const OpContext& c);
Result<Prepared> prepare_scatter_nd(const OpContext& c);
Result<Prepared> prepare_reverse_sequence(const OpContext& c);
Result<Prepared> prepare_insert_zeros(const OpContext& c);
Result<Prepared> prepare_streaming_cache(const OpContext& c);
Result<Prepared> prepare_depth_to_space_of_onnx(const OpContext& c);
Result<Prepared> prepare_space_to_depth_of_onnx(const OpContext& c);

}  // namespace edgetwin::ops
