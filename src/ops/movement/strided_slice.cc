// STRIDED_SLICE: NumPy's basic indexing x[begin:end:stride, …] with masks that say which entries
// stand for ":", "...", a new axis, or a single index. Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided_kernel.h"

namespace edgetwin::ops {
namespace {

using Integers = std::vector<int64_t>;

constexpr size_t kMaxEntries = 31;          // as many as the masks have bits
constexpr int64_t kFar = int64_t{1} << 31;  // beyond any size, and products with sizes still fit

bool bit(int mask, size_t i) { return ((static_cast<unsigned>(mask) >> i) & 1U) != 0; }

int64_t near(int64_t v) { return std::clamp(v, -kFar, kFar); }

// The index expression, entry by entry, applied to the axes of the input.
class Slicing {
 public:
  Slicing(const OpContext& c, Integers begin, Integers end, Integers stride)
      : c_(c),
        a_(c.op().as<StridedSliceAttrs>()),
        in_(c.input_shape(0)),
        in_strides_(memory_strides(in_)),
        begin_(std::move(begin)),
        end_(std::move(end)),
        stride_(std::move(stride)) {}

  Status apply();
  const Integers& sizes() const { return sizes_; }
  const Integers& strides() const { return strides_; }
  int64_t base() const { return empty() ? 0 : base_; }

 private:
  bool empty() const { return std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end(); }
  void emit(int64_t size, int64_t stride) {
    sizes_.push_back(size);
    strides_.push_back(stride);
  }
  // Axes that pass whole.
  void whole(int count) {
    for (; count > 0; --count, ++axis_) emit(in_[axis_], in_strides_[static_cast<size_t>(axis_)]);
  }
  Result<int> ellipsis_axes() const;
  Status entry(size_t i);
  Status single(size_t i, int64_t start, int64_t stride);

  const OpContext& c_;
  const StridedSliceAttrs& a_;
  const Shape& in_;
  std::array<int64_t, Shape::kMaxRank> in_strides_;
  Integers begin_, end_, stride_;
  Integers sizes_, strides_;
  int64_t base_ = 0;
  int axis_ = 0;  // of the input, next to be indexed
};

// How many axes "..." stands for; without one, how many are left over at the end.
Result<int> Slicing::ellipsis_axes() const {
  int used = 0;
  int ellipses = 0;
  for (size_t i = 0; i < begin_.size(); ++i) {
    const bool is_ellipsis = bit(a_.ellipsis_mask, i);
    ellipses += is_ellipsis;
    used += !is_ellipsis && !bit(a_.new_axis_mask, i);
  }
  if (ellipses > 1) return c_.error(ErrorCode::op_attribute, "more than one ellipsis");
  if (used <= in_.rank()) return in_.rank() - used;
  return c_.error(ErrorCode::op_shape,
                  std::to_string(used) + " axes are indexed, the input is " + to_string(in_));
}

Status Slicing::apply() {
  EDGETWIN_TRY_ASSIGN(const int rest, ellipsis_axes());
  for (size_t i = 0; i < begin_.size(); ++i) {
    if (bit(a_.ellipsis_mask, i)) {
      whole(rest);
    } else if (bit(a_.new_axis_mask, i)) {
      emit(1, 0);
    } else {
      EDGETWIN_TRY(entry(i));
      ++axis_;
    }
  }
  whole(in_.rank() - axis_);
  return Ok{};
}

Status Slicing::entry(size_t i) {
  const int64_t dim = in_[axis_];
  const int64_t stride = near(stride_[i]);
  if (stride == 0) {
    return c_.error(ErrorCode::op_attribute, "entry " + std::to_string(i) + " has the stride 0");
  }
  const int64_t low = stride > 0 ? 0 : -1;
  const int64_t high = stride > 0 ? dim : dim - 1;
  const auto from_end = [dim](int64_t v) { return v < 0 ? v + dim : v; };
  const int64_t start =
      bit(a_.begin_mask, i) ? (stride > 0 ? low : high) : from_end(near(begin_[i]));
  if (bit(a_.shrink_axis_mask, i)) return single(i, start, stride);
  const int64_t begin = std::clamp(start, low, high);
  // `offset`: the end counts from the begin, so that a negative one does not mean "from the end".
  int64_t end = a_.offset ? begin + near(end_[i]) : from_end(near(end_[i]));
  if (bit(a_.end_mask, i)) end = stride > 0 ? high : low;
  end = std::clamp(end, low, high);
  const int64_t span = stride > 0 ? end - begin : begin - end;
  const int64_t step = std::abs(stride);
  const int64_t axis_stride = in_strides_[static_cast<size_t>(axis_)];
  const int64_t size = span > 0 ? (span + step - 1) / step : 0;
  if (size > 0) base_ += begin * axis_stride;
  emit(size, size > 1 ? stride * axis_stride : 0);
  return Ok{};
}

// One element of the axis, which then is gone.
Status Slicing::single(size_t i, int64_t start, int64_t stride) {
  if (stride < 0) {
    return c_.error(ErrorCode::op_attribute,
                    "entry " + std::to_string(i) + " takes one element with a negative stride");
  }
  if (start < 0 || start >= in_[axis_]) {
    return c_.error(ErrorCode::op_shape, "entry " + std::to_string(i) + " takes element " +
                                             std::to_string(begin_[i]) + " of axis " +
                                             std::to_string(axis_) + " of " + to_string(in_));
  }
  base_ += start * in_strides_[static_cast<size_t>(axis_)];
  return Ok{};
}

[[gnu::cold]] Result<Slicing> slicing(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(Integers begin, c.constant_integers(1, "begin"));
  EDGETWIN_TRY_ASSIGN(Integers end, c.constant_integers(2, "end"));
  EDGETWIN_TRY_ASSIGN(Integers stride, c.constant_integers(3, "the strides"));
  if (begin.size() != end.size() || begin.size() != stride.size() || begin.size() > kMaxEntries) {
    return c.error(ErrorCode::op_shape, "begin, end and strides have " +
                                            std::to_string(begin.size()) + ", " +
                                            std::to_string(end.size()) + " and " +
                                            std::to_string(stride.size()) + " entries");
  }
  return Slicing(c, std::move(begin), std::move(end), std::move(stride));
}

}  // namespace

Result<Prepared> prepare_strided_slice(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 4));
  EDGETWIN_TRY_ASSIGN(Slicing s, slicing(c));
  EDGETWIN_TRY(s.apply());
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::joined(c, s.sizes()));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return gathered(c, std::move(prepared), StridedPlan::make(out, s.strides(), s.base()));
}

}  // namespace edgetwin::ops
