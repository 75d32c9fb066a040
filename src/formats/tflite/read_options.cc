#include <cmath>

#include "formats/tflite/codes.h"
#include "formats/tflite/options_tables.h"
#include "formats/tflite/reader.h"

namespace edgetwin::tflite {
namespace {

// Where options are, for errors; and the conversions that can fail.
class Context {
 public:
  Context(Source& source, const void* at, const std::string& label)
      : source_(source), at_(at), label_(label) {}

  Error bad(ErrorCode code, const std::string& message, const char* field) const {
    return source_.error(code, message, at_, label_ + " " + field);
  }
  Status set(Activation& to, schema::Activation from) const {
    if (from < schema::Activation::MIN || from > schema::Activation::MAX) {
      return unknown("activation", static_cast<int>(from));
    }
    to = static_cast<Activation>(from);
    return Ok{};
  }
  Status set(Padding& to, schema::Padding from) const {
    if (from < schema::Padding::MIN || from > schema::Padding::MAX) {
      return unknown("padding", static_cast<int>(from));
    }
    to.kind = from == schema::Padding::SAME ? Padding::Kind::same : Padding::Kind::valid;
    return Ok{};
  }
  Status set(DType& to, schema::TensorType from, const char* field) const {
    const auto type = dtype_from_code(static_cast<int>(from));
    if (!type) {
      return bad(ErrorCode::tflite_type, "type code " + std::to_string(static_cast<int>(from)),
                 field);
    }
    to = *type;
    return Ok{};
  }
  Status set(float& to, float from, const char* field) const {
    if (!std::isfinite(from)) return bad(ErrorCode::bad_value, "not a finite number", field);
    to = from;
    return Ok{};
  }
  Status set(std::vector<int32_t>& to, const flatbuffers::Vector<int32_t>* from,
             const char* field) const {
    if (from == nullptr) return Ok{};
    EDGETWIN_TRY(source_.charge(uint64_t{from->size()} * sizeof(int32_t), at_, field));
    to.assign(from->begin(), from->end());
    return Ok{};
  }

 private:
  Error unknown(const char* field, int value) const {
    return bad(ErrorCode::bad_value, "the value " + std::to_string(value) + " is unknown", field);
  }
  Source& source_;
  const void* at_;
  const std::string& label_;
};

template <class Options>
Status fill(const Context&, const Options&, NoAttrs&) {
  return Ok{};
}
template <class Options>
Status fill(const Context& in, const Options& o, ActivationAttrs& a) {
  return in.set(a.activation, o.activation());
}
template <class Options>
Status fill(const Context& in, const Options& o, BinaryAttrs& a) {
  if constexpr (requires { o.pot_scale_int16(); }) a.pot_scale_int16 = o.pot_scale_int16();
  return in.set(a.activation, o.activation());
}
template <class Options>
Status fill(const Context& in, const Options& o, Conv2DAttrs& a) {
  EDGETWIN_TRY(in.set(a.padding, o.padding()));
  a.stride_h = o.stride_h();
  a.stride_w = o.stride_w();
  a.dilation_h = o.dilation_h();
  a.dilation_w = o.dilation_w();
  if constexpr (requires { o.depth_multiplier(); }) a.depth_multiplier = o.depth_multiplier();
  return in.set(a.activation, o.activation());
}
Status fill(const Context& in, const schema::TransposeConvOptions& o, TransposeConvAttrs& a) {
  EDGETWIN_TRY(in.set(a.padding, o.padding()));
  a.stride_h = o.stride_h();
  a.stride_w = o.stride_w();
  return in.set(a.activation, o.activation());
}
Status fill(const Context& in, const schema::Pool2DOptions& o, PoolAttrs& a) {
  EDGETWIN_TRY(in.set(a.padding, o.padding()));
  a.stride_h = o.stride_h();
  a.stride_w = o.stride_w();
  a.filter_h = o.filter_h();
  a.filter_w = o.filter_w();
  return in.set(a.activation, o.activation());
}
Status fill(const Context& in, const schema::FullyConnectedOptions& o, FullyConnectedAttrs& a) {
  a.weights_format = o.weights_format();
  a.keep_num_dims = o.keep_num_dims();
  a.asymmetric_quantize_inputs = o.asymmetric_quantize_inputs();
  return in.set(a.activation, o.activation());
}
Status fill(const Context& in, const schema::ConcatenationOptions& o, ConcatAttrs& a) {
  a.axis = o.axis();
  return in.set(a.activation, o.activation());
}
Status fill(const Context& in, const schema::SoftmaxOptions& o, SoftmaxAttrs& a) {
  return in.set(a.beta, o.beta(), "beta");
}
Status fill(const Context& in, const schema::ReshapeOptions& o, ReshapeAttrs& a) {
  return in.set(a.new_shape, o.new_shape(), "new_shape");
}
template <class Options>
Status fill(const Context&, const Options& o, ResizeAttrs& a) {
  a.align_corners = o.align_corners();
  a.half_pixel_centers = o.half_pixel_centers();
  return Ok{};
}
template <class Options>
Status fill(const Context&, const Options& o, BlockAttrs& a) {
  a.block_size = o.block_size();
  return Ok{};
}
Status fill(const Context&, const schema::GatherOptions& o, GatherAttrs& a) {
  a.axis = o.axis();
  a.batch_dims = o.batch_dims();
  return Ok{};
}
Status fill(const Context&, const schema::ReducerOptions& o, ReduceAttrs& a) {
  a.keep_dims = o.keep_dims();
  return Ok{};
}
Status fill(const Context& in, const schema::SqueezeOptions& o, SqueezeAttrs& a) {
  return in.set(a.squeeze_dims, o.squeeze_dims(), "squeeze_dims");
}
Status fill(const Context&, const schema::StridedSliceOptions& o, StridedSliceAttrs& a) {
  a.begin_mask = o.begin_mask();
  a.end_mask = o.end_mask();
  a.ellipsis_mask = o.ellipsis_mask();
  a.new_axis_mask = o.new_axis_mask();
  a.shrink_axis_mask = o.shrink_axis_mask();
  a.offset = o.offset();
  return Ok{};
}
Status fill(const Context&, const schema::SplitOptions& o, SplitAttrs& a) {
  a.num_splits = o.num_splits();
  return Ok{};
}
Status fill(const Context& in, const schema::CastOptions& o, CastAttrs& a) {
  EDGETWIN_TRY(in.set(a.in, o.in_data_type(), "in_data_type"));
  return in.set(a.out, o.out_data_type(), "out_data_type");
}
Status fill(const Context& in, const schema::ArgMaxOptions& o, ArgAttrs& a) {
  return in.set(a.output_type, o.output_type(), "output_type");
}
Status fill(const Context& in, const schema::ShapeOptions& o, ShapeAttrs& a) {
  return in.set(a.out_type, o.out_type(), "out_type");
}
Status fill(const Context&, const schema::PackOptions& o, PackAttrs& a) {
  a.values_count = o.values_count();
  a.axis = o.axis();
  return Ok{};
}
Status fill(const Context&, const schema::UnpackOptions& o, UnpackAttrs& a) {
  a.num = o.num();
  a.axis = o.axis();
  return Ok{};
}
Status fill(const Context& in, const schema::UnidirectionalSequenceLSTMOptions& o, LstmAttrs& a) {
  EDGETWIN_TRY(in.set(a.cell_clip, o.cell_clip(), "cell_clip"));
  EDGETWIN_TRY(in.set(a.proj_clip, o.proj_clip(), "proj_clip"));
  a.time_major = o.time_major();
  a.asymmetric_quantize_inputs = o.asymmetric_quantize_inputs();
  a.diagonal_recurrent_tensors = o.diagonal_recurrent_tensors();
  return in.set(a.activation, o.activation());
}

template <class Options>
constexpr schema::OperatorOptions type_of() {
  if constexpr (std::is_same_v<Options, table::NONE>) {
    return schema::OperatorOptions::NONE;
  } else {
    return schema::OperatorOptionsTraits<Options>::enum_value;
  }
}

// Absent options mean that all have their default values.
template <class Options, class A>
Result<Attrs> options_of(Source& source, const schema::Operator& op, const std::string& label) {
  A attrs;
  // Nothing hangs on the options of these, and there are writers that number their tables wrongly.
  if constexpr (std::is_same_v<A, NoAttrs>) return Attrs(attrs);
  const auto found = op.options_type();
  if (found == schema::OperatorOptions::NONE) return Attrs(std::move(attrs));
  if (found != type_of<Options>()) {
    return source.error(ErrorCode::bad_value,
                        "options of type " + std::to_string(static_cast<int>(found)) + ", " +
                            std::to_string(static_cast<int>(type_of<Options>())) +
                            " belongs to the operator",
                        &op, label + " builtin_options_type");
  }
  if constexpr (!std::is_same_v<Options, table::NONE>) {
    if (const auto* options = static_cast<const Options*>(op.options())) {
      EDGETWIN_TRY(fill(Context(source, options, label), *options, attrs));
    }
  }
  return Attrs(std::move(attrs));
}

}  // namespace

Result<Attrs> read_options(Source& source, OpKind kind, const schema::Operator& op,
                           const std::string& label) {
  switch (kind) {
#define RANGE(min, max)
#define OP(kind_, Attrs_, inputs_, outputs_, builtin_, options_) \
  case OpKind::kind_:                                            \
    return options_of<table::options_, Attrs_>(source, op, label);
#include "graph/op.def"
#undef OP
#undef RANGE
  }
  return Error(ErrorCode::internal, "an operator kind outside of op.def");
}

}  // namespace edgetwin::tflite
