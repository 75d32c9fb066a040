#include "transform/tflite_form/builder.h"

namespace edgetwin::transform {
namespace {

using FormFn = void (*)(TfliteFormBuilder&);

// Null: no form.
FormFn function_of(OpKind kind) {
  switch (kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return form_conv;
    case OpKind::insert_zeros:
      return form_insert_zeros;
    case OpKind::fully_connected:
      return form_fully_connected;
    case OpKind::matmul:
      return form_matmul;
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
      return form_pool;
    case OpKind::resize:
      return form_resize;
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::maximum:
    case OpKind::minimum:
      return form_binary;
    case OpKind::relu:
    case OpKind::relu6:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::hard_swish:
    case OpKind::swish:
    case OpKind::hard_sigmoid:
    case OpKind::leaky_relu:
    case OpKind::neg:
    case OpKind::identity:
      return form_unary;
    case OpKind::clip:
      return form_clip;
    case OpKind::prelu:
      return form_prelu;
    case OpKind::softmax:
      return form_softmax;
    case OpKind::reduce_mean:
    case OpKind::reduce_sum:
      return form_reduce;
    case OpKind::reduce_max:
      return form_reduce_max;
    case OpKind::concatenation:
      return form_concat;
    case OpKind::split_sizes:
      return form_split;
    case OpKind::slice_steps:
      return form_slice;
    case OpKind::border_pad:
      return form_pad;
    case OpKind::transpose:
      return form_transpose;
    case OpKind::reshape:
    case OpKind::flatten:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
      return form_reshape;
    case OpKind::gather:
      return form_gather;
    case OpKind::depth_to_space:
    case OpKind::space_to_depth:
      return form_blocks;
    default:
      return nullptr;
  }
}

}  // namespace

TfliteFormBuilder::TfliteFormBuilder(const Graph& network)
    : net_(network), uses_(network), kept_(network.values.size()) {}

void TfliteFormBuilder::emit(OpKind kind, Attrs attrs, std::vector<ValueId> inputs,
                             std::vector<ValueId> outputs) {
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  out_.ops.push_back(std::move(op));
}

void TfliteFormBuilder::take(const Op& op) {
  op_ = &op;
  const FormFn form = function_of(op.kind);
  if (form == nullptr) {
    refuse("TensorFlow Lite has no such operator in int8");
  } else {
    form(*this);
  }
  // So that the others can be looked at too.
  for (const ValueId id : op.outputs) {
    if (kept_[static_cast<size_t>(id)].in.empty()) result(id, Order::plain);
  }
}

Result<Graph> TfliteFormBuilder::run() {
  out_.name = net_.name;
  for (const ValueId id : net_.inputs) {
    const Order order = shape(id).rank() == 4 ? Order::last : Order::plain;
    out_.inputs.push_back(result(id, order));
    out_.value(out_.inputs.back()).dtype = value(id).dtype;
  }
  for (size_t i = 0; i < net_.ops.size(); ++i) {
    label_ = op_label(net_, i);
    take(net_.ops[i]);
  }
  if (!refusals_.empty()) {
    Error error(ErrorCode::quant_operator,
                std::to_string(refusals_.size()) + " operators have no form in TensorFlow Lite");
    error.details = std::move(refusals_);
    return error;
  }
  for (const ValueId id : net_.outputs) {
    out_.outputs.push_back(get(id, shape(id).rank() == 4 ? Order::last : Order::plain));
  }
  EDGETWIN_TRY(verify_graph(out_));
  return std::move(out_);
}

Result<Graph> to_tflite_form(const Graph& network) {
  EDGETWIN_TRY(require_layout(network, Layout::nchw));
  return TfliteFormBuilder(network).run();
}

}  // namespace edgetwin::transform
