// The operators that ESP-DL and float networks of ONNX prepare by the same functions: ESP-DL's are
// those of ONNX, with integers.
#pragma once

#include <string>
#include <string_view>

#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {

// A kind that is not here is refused: its name, and `why`.
template <class F>
Result<Prepared> prepare_onnx_family(const OpContext& c, std::string_view why) {
  switch (c.op().kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::pow:
    case OpKind::mod:
      return prepare_binary<F>(c);
    case OpKind::equal:
    case OpKind::greater:
    case OpKind::greater_equal:
    case OpKind::less:
    case OpKind::less_equal:
      return prepare_compare(c);
    case OpKind::relu:
    case OpKind::leaky_relu:
    case OpKind::elu:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::swish:
    case OpKind::hard_sigmoid:
    case OpKind::hard_swish:
    case OpKind::exp:
    case OpKind::log:
    case OpKind::sqrt:
    case OpKind::neg:
      return prepare_unary<F>(c);
    case OpKind::softmax:
    case OpKind::log_softmax:
      return prepare_softmax<F>(c);
    case OpKind::reduce_max:
    case OpKind::reduce_min:
    case OpKind::reduce_prod:
    case OpKind::reduce_l1:
    case OpKind::reduce_l2:
    case OpKind::reduce_log_sum:
    case OpKind::reduce_log_sum_exp:
    case OpKind::reduce_sum_square:
    case OpKind::reduce_sum:
    case OpKind::reduce_mean:
      return prepare_reduce<F>(c);
    case OpKind::concatenation:
      return prepare_raw_concatenation(c);
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
    case OpKind::flatten:
      return prepare_reshape(c);
    case OpKind::transpose:
      return prepare_transpose(c);
    case OpKind::gather:
      return prepare_gather(c);
    case OpKind::split_sizes:
      return prepare_split_sizes(c);
    case OpKind::border_pad:
      return prepare_border_pad(c);
    case OpKind::slice_steps:
      return prepare_slice_steps(c);
    case OpKind::scatter_nd:
      return prepare_scatter_nd(c);
    case OpKind::reverse_sequence:
      return prepare_reverse_sequence(c);
    default:
      return c.error(ErrorCode::op_unsupported, op_type_name(c.op()) + " " + std::string(why));
  }
}

}  // namespace edgetwin::ops
