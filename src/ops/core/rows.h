// A tensor as rows along one axis, for rules that take a whole row at a time.
#pragma once

#include "ops/core/common.h"

namespace edgetwin::ops {

struct Rows {
  int64_t count = 0;   // rows
  int64_t length = 0;  // elements of a row
  int64_t stride = 1;  // between its elements
};

// Errors: op_shape where rows are empty, op_attribute for an axis that is not there.
[[gnu::cold]] inline Result<Rows> rows_along(const OpContext& c, int64_t wanted) {
  const Shape& in = c.input_shape(0);
  if (in.rank() < 1 || in.elements() < 1) {
    return c.error(ErrorCode::op_shape,
                   "the input must have at least one element per row, it is " + to_string(in));
  }
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank()));
  return Rows{in.elements() / in[axis], in[axis], in.elements(axis + 1, in.rank())};
}

// The whole inner part of the input from `axis` on as one row.
[[gnu::cold]] inline Result<Rows> rows_from(const OpContext& c, int64_t wanted) {
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const Rows last, rows_along(c, -1));
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank()));
  const int64_t length = in.elements(axis, in.rank());
  return Rows{last.count * last.length / length, length, 1};
}

// Row `index` of a tensor: the offset of its first element.
inline int64_t row_offset(const Rows& rows, int64_t index) {
  return index / rows.stride * rows.stride * rows.length + index % rows.stride;
}

// rule.row(x, n, y) for every row, or rule.rows(x, count, n, y) for all of them where the rule has
// it; rows with strides go through copies.
template <class In, class Out, class Rule>
Prepared prepare_rows(const OpContext& c, Rows rows, Rule rule) {
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const auto body = [rows, rule = std::move(rule)](const Args& args, int64_t begin, int64_t end) {
    const In* x = args.input<In>(0);
    Out* y = args.output<Out>(0);
    if constexpr (requires { rule.rows(x, begin, end, y); }) {
      const int64_t at = begin * rows.length;
      if (rows.stride == 1) return rule.rows(x + at, end - begin, rows.length, y + at);
    }
    std::vector<In> from(rows.stride == 1 ? 0 : static_cast<size_t>(rows.length));
    std::vector<Out> to(from.size());
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = row_offset(rows, i);
      if (rows.stride == 1) {
        rule.row(x + at, rows.length, y + at);
        continue;
      }
      for (size_t k = 0; k < from.size(); ++k) {
        from[k] = x[at + static_cast<int64_t>(k) * rows.stride];
      }
      rule.row(from.data(), rows.length, to.data());
      for (size_t k = 0; k < to.size(); ++k) y[at + static_cast<int64_t>(k) * rows.stride] = to[k];
    }
  };
  prepared.run = [rows, body](const Args& args) -> Status {
    args.pool.parallel_for(rows.count, grain_for(rows.length * 50),
                           [&](int64_t begin, int64_t end, int) { body(args, begin, end); });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
