// TILE: the input repeated along each axis. Output element i is input element i mod size, axis by
// axis. Source: schema of TensorFlow Lite, documented behaviour of tf.tile.
#include <algorithm>

#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

struct TilePlan {
  std::vector<int64_t> sizes, multiples;  // by axis
  std::vector<int64_t> bytes;             // of the input below one index of the axis
};

// Writes what the input below `from` gives from `axis` on, and returns the bytes written.
int64_t write_tiles(const TilePlan& p, size_t axis, const std::byte* from, std::byte* to) {
  int64_t block = 0;
  if (axis + 1 == p.sizes.size()) {
    block = p.sizes[axis] * p.bytes[axis];
    copy_bytes(to, from, block);
  } else {
    for (int64_t i = 0; i < p.sizes[axis]; ++i)
      block += write_tiles(p, axis + 1, from + i * p.bytes[axis], to + block);
  }
  for (int64_t k = 1; k < p.multiples[axis]; ++k) copy_bytes(to + k * block, to, block);
  return block * p.multiples[axis];
}

}  // namespace

Result<Prepared> prepare_tile(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  const auto element = static_cast<int64_t>(byte_size(c.input(0).dtype));
  if (element == 0) return c.unsupported_types();
  TilePlan p;
  EDGETWIN_TRY_ASSIGN(p.multiples, c.constant_integers(1, "the multiples"));
  if (p.multiples.size() != static_cast<size_t>(in.rank())) {
    return c.error(ErrorCode::op_shape, std::to_string(p.multiples.size()) +
                                            " multiples, the input is " + to_string(in));
  }
  std::vector<int64_t> dims;
  for (int axis = 0; axis < in.rank(); ++axis) {
    const int64_t multiple = p.multiples[static_cast<size_t>(axis)];
    if (multiple < 0 || multiple > kMaxTensorBytes) {
      return c.error(ErrorCode::op_attribute, "axis " + std::to_string(axis) + " is repeated " +
                                                  std::to_string(multiple) + " times");
    }
    p.sizes.push_back(in[axis]);
    p.bytes.push_back(in.elements(axis + 1, in.rank()) * element);
    dims.push_back(in[axis] * multiple);
  }
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::joined(c, dims));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  // Nothing to write: also where a size is 0 or a multiple is.
  const bool empty = out.elements() == 0;
  prepared.run = [p, empty, element](const Args& args) -> Status {
    if (empty) return Ok{};
    if (p.sizes.empty())
      copy_bytes(args.outputs[0], args.inputs[0], element);
    else
      write_tiles(p, 0, args.inputs[0], args.outputs[0]);
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
