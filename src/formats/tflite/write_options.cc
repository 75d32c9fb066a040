#include "formats/tflite/codes.h"
#include "formats/tflite/options_tables.h"
#include "formats/tflite/writer.h"

namespace edgetwin::tflite {
namespace {

schema::Activation code(Activation activation) {
  return static_cast<schema::Activation>(activation);
}
schema::Padding code(const Padding& padding) {
  return padding.kind == Padding::Kind::valid ? schema::Padding::VALID : schema::Padding::SAME;
}
schema::TensorType code(DType type) { return static_cast<schema::TensorType>(code_of(type)); }

// What a table has besides the options of `put`; vectors must be written before their table.
template <class A>
flatbuffers::Offset<flatbuffers::Vector<int32_t>> vector_of(flatbuffers::FlatBufferBuilder&,
                                                            const A&) {
  return {};
}
flatbuffers::Offset<flatbuffers::Vector<int32_t>> vector_of(flatbuffers::FlatBufferBuilder& builder,
                                                            const ReshapeAttrs& a) {
  if (a.new_shape.empty()) return {};
  return builder.CreateVector(a.new_shape);
}
flatbuffers::Offset<flatbuffers::Vector<int32_t>> vector_of(flatbuffers::FlatBufferBuilder& builder,
                                                            const SqueezeAttrs& a) {
  if (a.squeeze_dims.empty()) return {};
  return builder.CreateVector(a.squeeze_dims);
}

template <class Builder>
void put(Builder&, const NoAttrs&) {}
template <class Builder>
void put(Builder& to, const ActivationAttrs& a) {
  to.add_activation(code(a.activation));
}
template <class Builder>
void put(Builder& to, const BinaryAttrs& a) {
  to.add_activation(code(a.activation));
  if constexpr (requires { to.add_pot_scale_int16(true); }) {
    to.add_pot_scale_int16(a.pot_scale_int16);
  }
}
template <class Builder>
void put(Builder& to, const Conv2DAttrs& a) {
  to.add_padding(code(a.padding));
  to.add_stride_w(a.stride_w);
  to.add_stride_h(a.stride_h);
  if constexpr (requires { to.add_depth_multiplier(1); }) {
    to.add_depth_multiplier(a.depth_multiplier);
  }
  to.add_activation(code(a.activation));
  to.add_dilation_w(a.dilation_w);
  to.add_dilation_h(a.dilation_h);
}
void put(schema::TransposeConvOptionsBuilder& to, const TransposeConvAttrs& a) {
  to.add_padding(code(a.padding));
  to.add_stride_w(a.stride_w);
  to.add_stride_h(a.stride_h);
  to.add_activation(code(a.activation));
}
void put(schema::Pool2DOptionsBuilder& to, const PoolAttrs& a) {
  to.add_padding(code(a.padding));
  to.add_stride_w(a.stride_w);
  to.add_stride_h(a.stride_h);
  to.add_filter_w(a.filter_w);
  to.add_filter_h(a.filter_h);
  to.add_activation(code(a.activation));
}
void put(schema::FullyConnectedOptionsBuilder& to, const FullyConnectedAttrs& a) {
  to.add_activation(code(a.activation));
  to.add_weights_format(static_cast<int8_t>(a.weights_format));
  to.add_keep_num_dims(a.keep_num_dims);
  to.add_asymmetric_quantize_inputs(a.asymmetric_quantize_inputs);
}
void put(schema::ConcatenationOptionsBuilder& to, const ConcatAttrs& a) {
  to.add_axis(a.axis);
  to.add_activation(code(a.activation));
}
void put(schema::SoftmaxOptionsBuilder& to, const SoftmaxAttrs& a) { to.add_beta(a.beta); }
template <class Builder>
void put(Builder& to, const ResizeAttrs& a) {
  to.add_align_corners(a.align_corners);
  to.add_half_pixel_centers(a.half_pixel_centers);
}
template <class Builder>
void put(Builder& to, const BlockAttrs& a) {
  to.add_block_size(a.block_size);
}
void put(schema::GatherOptionsBuilder& to, const GatherAttrs& a) {
  to.add_axis(a.axis);
  to.add_batch_dims(a.batch_dims);
}
void put(schema::ReducerOptionsBuilder& to, const ReduceAttrs& a) { to.add_keep_dims(a.keep_dims); }
void put(schema::StridedSliceOptionsBuilder& to, const StridedSliceAttrs& a) {
  to.add_begin_mask(a.begin_mask);
  to.add_end_mask(a.end_mask);
  to.add_ellipsis_mask(a.ellipsis_mask);
  to.add_new_axis_mask(a.new_axis_mask);
  to.add_shrink_axis_mask(a.shrink_axis_mask);
  to.add_offset(a.offset);
}
void put(schema::SplitOptionsBuilder& to, const SplitAttrs& a) { to.add_num_splits(a.num_splits); }
void put(schema::CastOptionsBuilder& to, const CastAttrs& a) {
  to.add_in_data_type(code(a.in));
  to.add_out_data_type(code(a.out));
}
void put(schema::ArgMaxOptionsBuilder& to, const ArgAttrs& a) {
  to.add_output_type(code(a.output_type));
}
void put(schema::ShapeOptionsBuilder& to, const ShapeAttrs& a) {
  to.add_out_type(code(a.out_type));
}
void put(schema::PackOptionsBuilder& to, const PackAttrs& a) {
  to.add_values_count(a.values_count);
  to.add_axis(a.axis);
}
void put(schema::UnpackOptionsBuilder& to, const UnpackAttrs& a) {
  to.add_num(a.num);
  to.add_axis(a.axis);
}
void put(schema::UnidirectionalSequenceLSTMOptionsBuilder& to, const LstmAttrs& a) {
  to.add_activation(code(a.activation));
  to.add_cell_clip(a.cell_clip);
  to.add_proj_clip(a.proj_clip);
  to.add_time_major(a.time_major);
  to.add_asymmetric_quantize_inputs(a.asymmetric_quantize_inputs);
  to.add_diagonal_recurrent_tensors(a.diagonal_recurrent_tensors);
}

template <class Options, class A>
WrittenOptions options_of(flatbuffers::FlatBufferBuilder& builder, const A& attrs) {
  if constexpr (std::is_same_v<Options, table::NONE>) {
    return {};
  } else {
    const auto vector = vector_of(builder, attrs);
    typename Options::Builder to(builder);
    if constexpr (std::is_same_v<A, ReshapeAttrs>) {
      to.add_new_shape(vector);
    } else if constexpr (std::is_same_v<A, SqueezeAttrs>) {
      to.add_squeeze_dims(vector);
    } else {
      put(to, attrs);
    }
    constexpr auto kType = schema::OperatorOptionsTraits<Options>::enum_value;
    return {static_cast<uint8_t>(kType), to.Finish().o};
  }
}

// What the options have room for and a file does not.
Status check_options(const Op& op, const std::string& label) {
  const auto fail = [&](const std::string& what) {
    return Error(ErrorCode::tflite_write, what).in_layer(label);
  };
  const Padding* padding = nullptr;
  if (const auto* conv = std::get_if<Conv2DAttrs>(&op.attrs)) padding = &conv->padding;
  if (const auto* pool = std::get_if<PoolAttrs>(&op.attrs)) padding = &pool->padding;
  if (const auto* conv = std::get_if<TransposeConvAttrs>(&op.attrs)) padding = &conv->padding;
  if (padding != nullptr && padding->kind == Padding::Kind::given) {
    return fail("padding in rows and columns; a file knows SAME and VALID");
  }
  if (const auto* dense = std::get_if<FullyConnectedAttrs>(&op.attrs)) {
    const int format = dense->weights_format;
    if (format < INT8_MIN || format > INT8_MAX) return fail("weights format outside of a byte");
  }
  return Ok{};
}

}  // namespace

Result<WrittenOptions> write_options(flatbuffers::FlatBufferBuilder& builder, const Op& op,
                                     const std::string& label) {
  EDGETWIN_TRY(check_options(op, label));
  switch (op.kind) {
#define RANGE(min, max)
#define OP(kind_, Attrs_, inputs_, outputs_, builtin_, options_) \
  case OpKind::kind_:                                            \
    return options_of<table::options_>(builder, op.as<Attrs_>());
#include "graph/op.def"
#undef OP
#undef RANGE
  }
  return Error(ErrorCode::internal, "an operator kind outside of op.def").in_layer(label);
}

}  // namespace edgetwin::tflite
