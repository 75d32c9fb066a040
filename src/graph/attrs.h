// The options of operators, free of any file format. Absent options have the values here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "tensor/dtype.h"

namespace edgetwin {

// What follows an operator's arithmetic inside the same operator.
enum class Activation : uint8_t { none, relu, relu_n1_to_1, relu6, tanh, sign_bit };
std::string_view name(Activation activation);

struct Padding {
  enum class Kind : uint8_t { same, valid, given };
  Kind kind = Kind::same;
  int top = 0, left = 0, bottom = 0, right = 0;  // given: rows and columns added
  bool operator==(const Padding&) const = default;
};

struct NoAttrs {
  bool operator==(const NoAttrs&) const = default;
};

struct ActivationAttrs {
  Activation activation = Activation::none;
  bool operator==(const ActivationAttrs&) const = default;
};

struct BinaryAttrs {
  Activation activation = Activation::none;
  bool pot_scale_int16 = true;  // of ADD and SUB; older 16-bit models
  bool operator==(const BinaryAttrs&) const = default;
};

// CONV_2D (filter OHWI) and DEPTHWISE_CONV_2D (filter 1HWO).
struct Conv2DAttrs {
  Padding padding;
  int stride_h = 0, stride_w = 0;
  int dilation_h = 1, dilation_w = 1;
  int depth_multiplier = 0;  // kept for writing; the filter's shape says what it is
  Activation activation = Activation::none;
  bool operator==(const Conv2DAttrs&) const = default;
};

struct TransposeConvAttrs {
  Padding padding;
  int stride_h = 0, stride_w = 0;
  Activation activation = Activation::none;
  bool operator==(const TransposeConvAttrs&) const = default;
};

struct PoolAttrs {
  Padding padding;
  int stride_h = 0, stride_w = 0;
  int filter_h = 0, filter_w = 0;
  Activation activation = Activation::none;
  bool count_padding = false;  // of averages: given padding counts as zeros (ONNX)
  bool operator==(const PoolAttrs&) const = default;
};

struct FullyConnectedAttrs {
  Activation activation = Activation::none;
  int weights_format = 0;  // 1: a shuffled order of old converters, refused
  bool keep_num_dims = false;
  bool asymmetric_quantize_inputs = false;
  bool operator==(const FullyConnectedAttrs&) const = default;
};

struct ConcatAttrs {
  int axis = 0;
  Activation activation = Activation::none;
  bool operator==(const ConcatAttrs&) const = default;
};

struct SoftmaxAttrs {
  float beta = 0.0F;
  int axis = -1;  // TensorFlow Lite knows the last one only
  bool operator==(const SoftmaxAttrs&) const = default;
};

struct ReshapeAttrs {
  std::vector<int32_t> new_shape;  // used where there is no second input
  bool zero_copies = false;        // a size of 0 is that of the input (ONNX)
  bool operator==(const ReshapeAttrs&) const = default;
};

struct ResizeAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  bool operator==(const ResizeAttrs&) const = default;
};

struct BlockAttrs {
  // How the channels of a block are numbered: block position first (TensorFlow Lite, ONNX DCR), or
  // channel first (ONNX CRD, pixel shuffle); or block position first as if the output had as many
  // channels as the block is wide, whatever it has.
  enum class Order : uint8_t { position_first, channel_first, block_wide };
  int block_size = 0;
  Order order = Order::position_first;
  bool operator==(const BlockAttrs&) const = default;
};

struct GatherAttrs {
  int axis = 0;
  int batch_dims = 0;
  bool operator==(const GatherAttrs&) const = default;
};

struct ReduceAttrs {
  bool keep_dims = false;
  bool noop_without_axes = false;  // no axes: false reduces all of them, true none
  bool operator==(const ReduceAttrs&) const = default;
};

struct AxisAttrs {
  int axis = 1;
  bool operator==(const AxisAttrs&) const = default;
};

// SQUEEZE, and Unsqueeze: the axes of the result that are new
struct SqueezeAttrs {
  std::vector<int32_t> squeeze_dims;
  bool operator==(const SqueezeAttrs&) const = default;
};

struct StridedSliceAttrs {
  int begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool offset = false;  // `end` is given relative to `begin`
  bool operator==(const StridedSliceAttrs&) const = default;
};

struct SplitAttrs {
  int num_splits = 0;
  bool operator==(const SplitAttrs&) const = default;
};

struct CastAttrs {
  DType in = DType::float32;
  DType out = DType::float32;
  bool operator==(const CastAttrs&) const = default;
};

struct ArgAttrs {
  DType output_type = DType::float32;  // the tensor's own type decides
  bool operator==(const ArgAttrs&) const = default;
};

struct ShapeAttrs {
  DType out_type = DType::float32;  // the tensor's own type decides
  bool operator==(const ShapeAttrs&) const = default;
};

struct PackAttrs {
  int values_count = 0;
  int axis = 0;
  bool operator==(const PackAttrs&) const = default;
};

struct UnpackAttrs {
  int num = 0;
  int axis = 0;
  bool operator==(const UnpackAttrs&) const = default;
};

// UNIDIRECTIONAL_SEQUENCE_LSTM
struct LstmAttrs {
  Activation activation = Activation::none;
  float cell_clip = 0.0F;
  float proj_clip = 0.0F;
  bool time_major = false;
  bool asymmetric_quantize_inputs = false;
  bool diagonal_recurrent_tensors = false;
  bool operator==(const LstmAttrs&) const = default;
};

// An operator kept as it came: unknown ones whole, known custom ones for writing them back.
struct OpaqueAttrs {
  std::string name;       // as the format names it
  int builtin_code = -1;  // of the format; 32 for custom ones
  int options_type = 0;   // member of the options union; its table cannot be kept
  Bytes custom_options;   // as stored
  bool operator==(const OpaqueAttrs&) const = default;
};

// TFLite_Detection_PostProcess
struct DetectionAttrs {
  int max_detections = 0;
  int max_classes_per_detection = 0;
  int detections_per_class = 100;
  bool use_regular_nms = false;
  float nms_score_threshold = 0.0F;
  float nms_iou_threshold = 0.0F;
  int num_classes = 0;  // without the background
  float y_scale = 0.0F, x_scale = 0.0F, h_scale = 0.0F, w_scale = 0.0F;
  Bytes custom_options;  // as stored, for writing
  bool operator==(const DetectionAttrs&) const = default;
};

// PosenetDecoderOp
struct PosenetAttrs {
  int max_detections = 10;
  float score_threshold = 0.5F;
  int stride = 16;
  float nms_radius = 20.0F;  // pixels
  Bytes custom_options;      // as stored, for writing
  bool operator==(const PosenetAttrs&) const = default;
};

// MatMul: [..., M, K] by [..., K, N]. The second operand's elements may be ordered for the vector
// unit: in blocks of `block` columns, or column by column; its shape does not tell.
struct MatMulAttrs {
  enum class Order : uint8_t { rows, columns, blocks };
  Activation activation = Activation::none;
  Order rhs_order = Order::rows;
  int block = 0;  // of Order::blocks: 16 or 8
  bool operator==(const MatMulAttrs&) const = default;
};

// LeakyRelu, Elu (alpha), HardSigmoid (alpha * x + beta)
struct AlphaAttrs {
  float alpha = 0.0F;
  float beta = 0.0F;
  bool operator==(const AlphaAttrs&) const = default;
};

// LayerNormalization, RMSNormalization (from `axis` on); LpNormalization (along `axis`, p 1 or 2)
struct NormAttrs {
  int axis = -1;
  float epsilon = 1e-5F;
  int p = 2;
  bool operator==(const NormAttrs&) const = default;
};

// Resize of ONNX: one scale per axis of the input, or the sizes wanted.
struct ScaleAttrs {
  enum class Mode : uint8_t { nearest, linear, cubic };
  // Where an output lies in the input. usual: asymmetric for nearest, half pixels for linear.
  enum class Coordinates : uint8_t { usual, asymmetric, half_pixel, pytorch_half_pixel };
  enum class Nearest : uint8_t { floor, ceil, round_prefer_floor, round_prefer_ceil };
  Mode mode = Mode::nearest;
  bool align_corners = false;
  Coordinates coordinates = Coordinates::usual;
  Nearest nearest = Nearest::floor;
  std::vector<float> scales;   // empty: `sizes` decide
  std::vector<int64_t> sizes;  // in the order of the tensor
  bool operator==(const ScaleAttrs&) const = default;
};

struct SplitSizesAttrs {
  int axis = 0;
  std::vector<int64_t> sizes;
  bool operator==(const SplitSizesAttrs&) const = default;
};

// Pad of ONNX; the second operand, if there is one, is the constant value.
struct BorderPadAttrs {
  enum class Mode : uint8_t { constant, edge, reflect };
  Mode mode = Mode::constant;
  std::vector<int64_t> before, after;  // one per axis; negative ones cut
  bool operator==(const BorderPadAttrs&) const = default;
};

// Slice of ONNX: per listed axis a start, an end and a step, clamped to the axis.
struct SliceStepsAttrs {
  std::vector<int64_t> starts, ends, axes, steps;
  bool operator==(const SliceStepsAttrs&) const = default;
};

struct ScatterAttrs {
  enum class Reduction : uint8_t { none, add, mul, max, min };
  Reduction reduction = Reduction::none;
  bool operator==(const ScatterAttrs&) const = default;
};

struct ReverseSequenceAttrs {
  int batch_axis = 1;
  int time_axis = 0;
  bool operator==(const ReverseSequenceAttrs&) const = default;
};

// Zeros between the elements of the spatial axes, as a transposed convolution needs them.
struct InsertZerosAttrs {
  std::vector<int64_t> stride, output_padding;  // per spatial axis
  bool operator==(const InsertZerosAttrs&) const = default;
};

// The frames of the runs before, kept in a variable (operand 1), in front of the new ones.
struct StreamingCacheAttrs {
  int window_size = 1;
  int frame_axis = 1;
  bool operator==(const StreamingCacheAttrs&) const = default;
};

// GRU and LSTM in ONNX's form, with gates as 16-bit integers at 2^gate_exponent.
struct RecurrentAttrs {
  int hidden_size = 0;
  bool bidirectional = false;
  bool reverse = false;  // asked for; not every numerics obeys
  bool linear_before_reset = true;
  int gate_exponent = -8;
  bool operator==(const RecurrentAttrs&) const = default;
};

using AttrsVariant =
    std::variant<NoAttrs, ActivationAttrs, BinaryAttrs, Conv2DAttrs, TransposeConvAttrs, PoolAttrs,
                 FullyConnectedAttrs, ConcatAttrs, SoftmaxAttrs, ReshapeAttrs, ResizeAttrs,
                 BlockAttrs, GatherAttrs, ReduceAttrs, SqueezeAttrs, StridedSliceAttrs, SplitAttrs,
                 CastAttrs, ArgAttrs, ShapeAttrs, PackAttrs, UnpackAttrs, LstmAttrs, OpaqueAttrs,
                 DetectionAttrs, PosenetAttrs, MatMulAttrs, AlphaAttrs, NormAttrs, ScaleAttrs,
                 SplitSizesAttrs, BorderPadAttrs, SliceStepsAttrs, ScatterAttrs,
                 ReverseSequenceAttrs, InsertZerosAttrs, StreamingCacheAttrs, RecurrentAttrs,
                 AxisAttrs>;

// Copied and ended in one place: each of the kinds costs the compiler its share wherever an
// operator is copied.
struct Attrs : AttrsVariant {
  using AttrsVariant::AttrsVariant;
  Attrs();
  Attrs(const Attrs& other);
  Attrs(Attrs&& other) noexcept;
  Attrs& operator=(const Attrs& other);
  Attrs& operator=(Attrs&& other) noexcept;
  ~Attrs();
};

}  // namespace edgetwin
