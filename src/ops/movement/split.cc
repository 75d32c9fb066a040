// SPLIT: equal parts along an axis; input 0 is the axis, input 1 the data.
// Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/core/pieces.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

struct SplitPlan {
  int64_t outer;
  size_t parts;
  int64_t part_bytes;  // of one part at one outer position
};

Kernel split_kernel(const SplitPlan& p) {
  return [p](const Args& args) -> Status {
    if (p.part_bytes == 0) return Ok{};
    const int64_t size = p.part_bytes, all = static_cast<int64_t>(p.parts) * size;
    each_few(p.outer, [&](int64_t first, int64_t count) {
      const std::byte* from = args.inputs[1] + first * all;
      for (size_t k = 0; k < p.parts; ++k, from += size) {
        if (args.outputs[k] == args.inputs[1]) continue;  // one part in place
        copy_pieces({args.outputs[k] + first * size, from, size, all, size, count});
      }
    });
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_split(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(1);
  EDGETWIN_TRY_ASSIGN(const int64_t wanted, checks::one_integer(c, 0, "the axis"));
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank()));
  const auto parts = static_cast<int64_t>(c.output_count());
  if (parts < 1 || c.op().as<SplitAttrs>().num_splits != parts) {
    return c.error(ErrorCode::op_attribute,
                   "num_splits is " + std::to_string(c.op().as<SplitAttrs>().num_splits) +
                       ", there are " + std::to_string(parts) + " outputs");
  }
  if (in[axis] % parts != 0) {
    return c.error(ErrorCode::op_shape, "axis " + std::to_string(axis) + " of " + to_string(in) +
                                            " cannot be cut into " + std::to_string(parts) +
                                            " equal parts");
  }
  Shape part = in;
  part[axis] /= parts;
  EDGETWIN_TRY_ASSIGN(Prepared prepared,
                      checks::movement(c, 1, 2, std::vector<Shape>(c.output_count(), part)));
  const DType type = c.input(1).dtype;
  if (byte_size(type) == 0) return c.unsupported_types();
  prepared.run =
      split_kernel({part.elements(0, axis), c.output_count(),
                    part.elements(axis, part.rank()) * static_cast<int64_t>(byte_size(type))});
  return prepared;
}

}  // namespace edgetwin::ops
