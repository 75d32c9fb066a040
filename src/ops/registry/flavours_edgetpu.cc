// The operators of the Edge TPU. What its compiler leaves to the host, and what moves bytes only,
// is TensorFlow Lite's.
#include <optional>

#include "ops/core/instantiate.h"
#include "ops/edgetpu/evidence.h"
#include "ops/edgetpu/open.h"
#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/recurrent/prepare.h"
#include "ops/reduce/prepare.h"
#include "ops/registry/flavours.h"
#include "ops/registry/prepare.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

bool is_byte(DType type) { return type == DType::uint8 || type == DType::int8; }

// The chip computes on bytes. TRANSPOSE_CONV has its data in operand 2.
bool on_chip(const OpContext& c) {
  const size_t data = c.op().kind == OpKind::transpose_conv ? 2 : 0;
  return c.has_input(data) && is_byte(c.input(data).dtype) && is_byte(c.output(0).dtype);
}

// A note about how an operator's arithmetic is known; nothing where it is verified.
Result<Prepared> with_evidence(const OpContext& c, EdgetpuRule rule, Result<Prepared> prepared) {
  if (!prepared.ok()) return prepared;
  const EdgetpuEvidence& e = edgetpu_evidence(rule);
  if (e.status == EdgetpuStatus::verified) return prepared;
  Prepared result = std::move(*prepared);
  const auto severity = e.status == EdgetpuStatus::open ? Severity::warning : Severity::note;
  result.findings.push_back({severity, std::string(e.id), c.label(),
                             std::string(name(e.status)) + ": " + std::string(e.statement),
                             std::string(e.basis)});
  return result;
}

// Operators with a sum of their own; none where the operator is of another kind.
template <class F>
std::optional<Result<Prepared>> prepare_sums(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::conv_2d:
      return prepare_conv_2d<F>(c);
    case OpKind::depthwise_conv_2d:
      return prepare_depthwise_conv_2d<F>(c);
    case OpKind::fully_connected:
      return prepare_fully_connected<F>(c);
    case OpKind::transpose_conv:
      return with_evidence(c, EdgetpuRule::not_known, prepare_transpose_conv<F>(c));
    case OpKind::add:
    case OpKind::sub:
      return with_evidence(c, EdgetpuRule::add, prepare_binary<F>(c));
    case OpKind::mul:
      return with_evidence(c, EdgetpuRule::mul, prepare_binary<F>(c));
    case OpKind::average_pool_2d:
      return with_evidence(c, EdgetpuRule::average_pool, prepare_pool<F>(c));
    case OpKind::max_pool_2d:
      return with_evidence(c, EdgetpuRule::max_pool, prepare_pool<F>(c));
    case OpKind::mean:
    case OpKind::sum:
      return with_evidence(c, EdgetpuRule::mean, prepare_reduce<F>(c));
    default:
      return std::nullopt;
  }
}

template <class F>
std::optional<Result<Prepared>> prepare_functions(const OpContext& c) {
  const bool scalar = c.options().edgetpu.softmax == numerics::EdgetpuSoftmax::scalar;
  switch (c.op().kind) {
    case OpKind::softmax:
      return with_evidence(c, scalar ? EdgetpuRule::scalar_softmax : EdgetpuRule::softmax,
                           prepare_softmax<F>(c));
    case OpKind::logistic:
    case OpKind::tanh:
      return with_evidence(c, EdgetpuRule::table_function, prepare_unary<F>(c));
    case OpKind::relu:
    case OpKind::relu_n1_to_1:
    case OpKind::relu6:
      return with_evidence(c, EdgetpuRule::requantize, prepare_unary<F>(c));
    case OpKind::quantize:
      return with_evidence(c, EdgetpuRule::requantize, prepare_quantize<F>(c));
    case OpKind::resize_bilinear:
      return with_evidence(c, EdgetpuRule::resize_bilinear, prepare_resize_bilinear<F>(c));
    case OpKind::concatenation:
      return prepare_concatenation<F>(c);
    default:
      return std::nullopt;
  }
}

// 8-bit operators with arithmetic that TensorFlow Lite's stands in for.
bool is_unknown(OpKind kind) {
  return kind == OpKind::hard_swish || kind == OpKind::l2_normalization;
}

// The known program of a recurrent layer does not clip its cell: its clip lies beyond 16 bits.
bool clips(const OpContext& c) {
  constexpr size_t kCell = 19;
  const float clip = c.op().as<LstmAttrs>().cell_clip;
  if (clip <= 0.0F || !c.has_input(kCell) || c.input(kCell).quant.scheme != Quant::Scheme::affine)
    return false;
  return clip < c.input(kCell).quant.scale_of(0) * 32767.0F;
}

template <class F>
Result<Prepared> prepare_recurrent_layer(const OpContext& c) {
  if (clips(c)) {
    return with_evidence(c, EdgetpuRule::not_known, prepare_tflite<numerics::Tflite>(c));
  }
  return with_evidence(c, EdgetpuRule::lstm, prepare_lstm<F>(c));
}

}  // namespace

template <class F>
Result<Prepared> prepare_edgetpu(const OpContext& c) {
  if (on_chip(c)) {
    if (auto prepared = prepare_sums<F>(c)) return std::move(*prepared);
    if (auto prepared = prepare_functions<F>(c)) return std::move(*prepared);
    if (c.op().kind == OpKind::unidirectional_sequence_lstm) return prepare_recurrent_layer<F>(c);
    if (is_unknown(c.op().kind)) {
      return with_evidence(c, EdgetpuRule::not_known, prepare_tflite<numerics::Tflite>(c));
    }
  }
  return prepare_tflite<numerics::Tflite>(c);
}

EDGETWIN_FOR_EACH_EDGETPU(prepare_edgetpu)

}  // namespace edgetwin::ops
