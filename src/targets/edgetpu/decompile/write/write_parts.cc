#include "targets/edgetpu/decompile/write/write_parts.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/moved_forms.h"

namespace edgetwin::edgetpu {
namespace {

Extent2D extent_of(const Value& v) {
  return {static_cast<int>(v.shape[1]), static_cast<int>(v.shape[2]), static_cast<int>(v.shape[3])};
}

class PartWriter {
 public:
  PartWriter(GraphRewrite& r, const Operand& o) : r_(r), o_(o) {}

  ValueId run(const std::vector<std::vector<ValueId>>& pictures) {
    const ValueId blocks = write_blocks(pictures);
    if (blocks != kAbsent) return blocks;
    size_t begin = 0, end = o_.moved.size();
    int before = 0, after = 0;
    while (begin < end && is_filler(o_.moved[begin])) before += o_.moved[begin++].chunk;
    while (end > begin && is_filler(o_.moved[end - 1])) after += o_.moved[--end].chunk;
    if (begin == end) return kAbsent;
    std::vector<ValueId> parts;
    for (size_t i = begin; i < end; ++i) {
      const MovedPart& p = o_.moved[i];
      const Extent2D of_filler{o_.height, o_.width, p.chunk};
      parts.push_back(is_filler(p) ? filler(of_filler, parts.front()) : part(p, pictures[i]));
    }
    return with_channels(joined(parts, 3), before, after);
  }

 private:
  std::string name(const char* what) {
    return "decompiled/" + std::string(what) + "_" + std::to_string(r_.graph.values.size());
  }
  ValueId picture_like(ValueId of, const Extent2D& e, const char* what) {
    const Value v = r_.graph.value(of);
    return r_.add_value(name(what), v.dtype, picture(e), v.quant);
  }
  ValueId numbers(const std::vector<int32_t>& n, const char* what) {
    return r_.add_integers(name(what), n, Shape{static_cast<int64_t>(n.size())});
  }

  // Channels of real 0 before and after those that are there.
  ValueId with_channels(ValueId from, int before, int after) {
    if (before + after == 0) return from;
    const Extent2D e = extent_of(r_.graph.value(from));
    const ValueId to = picture_like(from, {e.h, e.w, before + e.c + after}, "channels");
    const ValueId sizes =
        r_.add_integers(name("padding"), {0, 0, 0, 0, 0, 0, before, after}, Shape{4, 2});
    r_.add_op(OpKind::pad, NoAttrs{}, {from, sizes}, to);
    return to;
  }

  ValueId write_blocks(const std::vector<std::vector<ValueId>>& pictures) {
    if (pictures[0].size() != 1) return kAbsent;
    const ValueId from = pictures[0][0];
    const Extent2D e = extent_of(r_.graph.value(from));
    const int deep = space_to_depth_block(o_, e), wide = depth_to_space_block(o_, e);
    if (deep == 0 && wide == 0) return kAbsent;
    const int channels = deep != 0 ? e.c * deep * deep : e.c / (wide * wide);
    const ValueId to = picture_like(from, {o_.height, o_.width, channels}, "blocks");
    BlockAttrs a;
    a.block_size = deep != 0 ? deep : wide;
    r_.add_op(deep != 0 ? OpKind::space_to_depth : OpKind::depth_to_space, a, {from}, to);
    return to;
  }

  ValueId part(const MovedPart& p, const std::vector<ValueId>& from) {
    const PlaceBox whole{p.places, o_.width, 0, 0, o_.height, o_.width};
    const bool one = from.size() == 1 && p.chunk == p.taken.count;
    if (!one) return gathered(p, from);
    const Extent2D e = extent_of(r_.graph.value(from[0]));
    if (const auto form = form_of(whole, e)) return formed(whole, *form, from[0]);
    const auto all = joined_forms(whole, e);
    if (!all) return gathered(p, from);
    std::vector<ValueId> pieces;
    for (size_t i = 0; i < all->boxes.size(); ++i) {
      pieces.push_back(formed(all->boxes[i], all->forms[i], from[0]));
    }
    return joined(pieces, all->axis);
  }

  ValueId joined(const std::vector<ValueId>& pieces, int axis) {
    if (pieces.size() == 1) return pieces[0];
    Shape shape = r_.graph.value(pieces[0]).shape;
    for (size_t i = 1; i < pieces.size(); ++i) shape[axis] += r_.graph.value(pieces[i]).shape[axis];
    const Value first = r_.graph.value(pieces[0]);
    const ValueId to = r_.add_value(name("concat"), first.dtype, shape, first.quant);
    r_.add_op(OpKind::concatenation, ConcatAttrs{axis, Activation::none}, pieces, to);
    return to;
  }

  ValueId formed(const PlaceBox& box, const MovedForm& f, ValueId from) {
    const Extent2D e = extent_of(r_.graph.value(from));
    const Extent2D size{box.h, box.w, e.c};
    switch (f.kind) {
      case MovedForm::Kind::same:
        return from;
      case MovedForm::Kind::reshape:
        return r_.reshape(from, picture(size), name("reshape"));
      case MovedForm::Kind::transpose: {
        const ValueId to = picture_like(from, size, "transpose");
        r_.add_op(OpKind::transpose, NoAttrs{}, {from, numbers({0, 2, 1, 3}, "axes")}, to);
        return to;
      }
      case MovedForm::Kind::slice:
        return sliced(size, f, from);
      case MovedForm::Kind::nearest: {
        const ValueId to = picture_like(from, size, "nearest");
        ResizeAttrs a;
        a.half_pixel_centers = f.middles;
        r_.add_op(OpKind::resize_nearest_neighbor, a, {from, numbers({size.h, size.w}, "size")},
                  to);
        return to;
      }
      case MovedForm::Kind::pad:
        return padded(size, f, from);
      case MovedForm::Kind::filler:
        return filler(size, from);
    }
    return kAbsent;
  }

  ValueId sliced(const Extent2D& size, const MovedForm& f, ValueId from) {
    const ValueId to = picture_like(from, size, "slice");
    const std::vector<int32_t> begin{0, f.y, f.x, 0};
    if (f.step_y == 1 && f.step_x == 1) {
      r_.add_op(OpKind::slice, NoAttrs{},
                {from, numbers(begin, "begin"), numbers({1, size.h, size.w, size.c}, "size")}, to);
      return to;
    }
    const std::vector<int32_t> end{1, f.y + (size.h - 1) * f.step_y + 1,
                                   f.x + (size.w - 1) * f.step_x + 1, size.c};
    r_.add_op(OpKind::strided_slice, StridedSliceAttrs{},
              {from, numbers(begin, "begin"), numbers(end, "end"),
               numbers({1, f.step_y, f.step_x, 1}, "steps")},
              to);
    return to;
  }

  ValueId padded(const Extent2D& size, const MovedForm& f, ValueId from) {
    const Extent2D e = extent_of(r_.graph.value(from));
    const ValueId to = picture_like(from, size, "padded");
    const ValueId sizes = r_.add_integers(
        name("padding"), {0, 0, f.y, size.h - f.y - e.h, f.x, size.w - f.x - e.w, 0, 0},
        Shape{4, 2});
    r_.add_op(OpKind::pad, NoAttrs{}, {from, sizes}, to);
    return to;
  }

  ValueId filler(const Extent2D& size, ValueId like) {
    const Value v = r_.graph.value(like);
    const Shape shape = picture(size);
    return r_.add_constant(name("filler"), v.dtype, shape, v.quant,
                           Bytes(static_cast<size_t>(shape.elements()),
                                 static_cast<std::byte>(v.quant.zero_point_of(0))));
  }

  // All pieces of all pictures as rows, with one of the zero point at the end.
  ValueId gathered(const MovedPart& p, const std::vector<ValueId>& from) {
    std::vector<ValueId> rows;
    int64_t count = 0;
    for (const ValueId v : from) {
      const int64_t n = r_.graph.value(v).shape.elements() / p.chunk;
      rows.push_back(r_.reshape(v, Shape{n, p.chunk}, name("pieces")));
      count += n;
    }
    std::vector<int32_t> places = p.places;
    if (std::find(places.begin(), places.end(), -1) != places.end()) {
      rows.push_back(
          r_.reshape(filler({1, 1, p.chunk}, from[0]), Shape{1, p.chunk}, name("pieces")));
      std::replace(places.begin(), places.end(), int32_t{-1}, static_cast<int32_t>(count));
    }
    const ValueId all = joined(rows, 0);
    const Value v = r_.graph.value(all);
    const Shape shape{static_cast<int64_t>(places.size()), p.chunk};
    const ValueId to = r_.add_value(name("gather"), v.dtype, shape, v.quant);
    r_.add_op(OpKind::gather, GatherAttrs{}, {all, numbers(places, "places")}, to);
    return r_.reshape(to, picture({o_.height, o_.width, p.chunk}), name("reshape"));
  }

  GraphRewrite& r_;
  const Operand& o_;
};

}  // namespace

ValueId write_parts(GraphRewrite& r, const Operand& o,
                    const std::vector<std::vector<ValueId>>& pictures) {
  return PartWriter(r, o).run(pictures);
}

}  // namespace edgetwin::edgetpu
