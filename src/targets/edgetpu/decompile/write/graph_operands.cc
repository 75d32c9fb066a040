#include "targets/edgetpu/decompile/write/graph_operands.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/moved_forms.h"
#include "targets/edgetpu/decompile/write/write_parts.h"

namespace edgetwin::edgetpu {
namespace {

ValueId value_of(const GraphRewrite& r, Producer p) {
  if (p < 0) {
    const auto i = static_cast<size_t>(-1 - p);
    return i < r.inputs.size() ? r.inputs[i] : kAbsent;
  }
  return r.values[static_cast<size_t>(p)];
}

// The channels that an operand takes of its i-th producer.
ValueId part_of(GraphRewrite& r, const Operand& o, size_t i) {
  const ValueId v = value_of(r, o.from[i]);
  if (v == kAbsent || o.taken.empty()) return v;
  const ChannelRange range = o.taken[i];
  const Value of = r.graph.value(v);
  if (of.shape.rank() != 4 || range.first + range.count > of.shape[3]) return kAbsent;
  if (range.count == of.shape[3]) return v;
  const Operand alone{{o.from[i]}, 0, {range}};
  for (const auto& [list, made] : r.joined) {
    if (list == alone) return made;
  }
  const std::string name = "decompiled/slice_" + std::to_string(r.joined.size());
  const ValueId to = r.add_value(
      name, of.dtype, Shape{1, of.shape[1], of.shape[2], int64_t{range.count}}, of.quant);
  const ValueId begin = r.add_integers(name + "/begin", {0, 0, 0, range.first}, Shape{4});
  const auto side = [&](int k) { return static_cast<int32_t>(of.shape[k]); };
  const ValueId size = r.add_integers(name + "/size", {1, side(1), side(2), range.count}, Shape{4});
  r.add_op(OpKind::slice, NoAttrs{}, {v, begin, size}, to);
  r.joined.emplace_back(alone, to);
  return to;
}

int64_t positions(const GraphRewrite& r, ValueId v) {
  const Shape& shape = r.graph.value(v).shape;
  return shape[1] * shape[2];
}

// One position for all positions of a picture.
ValueId spread(GraphRewrite& r, ValueId v, const Shape& picture) {
  const Value of = r.graph.value(v);
  if (positions(r, v) != 1 || picture[1] * picture[2] == 1) return v;
  const std::string name = "decompiled/spread_" + std::to_string(r.joined.size());
  const ValueId to =
      r.add_value(name, of.dtype, Shape{1, picture[1], picture[2], of.shape[3]}, of.quant);
  const auto side = [&](int k) { return static_cast<int32_t>(picture[k]); };
  const ValueId size = r.add_integers(name + "/size", {side(1), side(2)}, Shape{2});
  r.add_op(OpKind::resize_nearest_neighbor, ResizeAttrs{}, {v, size}, to);
  return to;
}

// Maps as rows one after the other.
ValueId joined_rows(GraphRewrite& r, const Operand& o) {
  std::vector<ValueId> parts;
  int64_t rows = 0;
  const auto list = [&](int64_t n) {
    return o.down ? Shape{1, n, 1, o.row_channels} : Shape{1, 1, n, o.row_channels};
  };
  for (const Producer p : o.from) {
    const ValueId v = value_of(r, p);
    if (v == kAbsent) return kAbsent;
    const int64_t of_part = r.graph.value(v).shape.elements() / o.row_channels;
    const std::string name =
        "decompiled/rows_" + std::to_string(r.joined.size()) + "_" + std::to_string(parts.size());
    parts.push_back(r.reshape(v, list(of_part), name));
    rows += of_part;
  }
  if (parts.size() == 1) return parts.front();
  const Value first = r.graph.value(parts.front());
  const ValueId v = r.add_value("decompiled/concat_" + std::to_string(r.joined.size()), first.dtype,
                                list(rows), first.quant);
  r.add_op(OpKind::concatenation, ConcatAttrs{o.down ? 1 : 2, Activation::none}, parts, v);
  r.joined.emplace_back(o, v);
  return v;
}

ValueId moved(GraphRewrite& r, const Operand& o) {
  for (const auto& [list, v] : r.joined) {
    if (list == o) return v;
  }
  std::vector<std::vector<ValueId>> pictures;
  for (const MovedPart& part : o.moved) {
    const Operand all{part.from, 0, std::vector<ChannelRange>(part.from.size(), part.taken)};
    std::vector<ValueId>& of_part = pictures.emplace_back();
    if (is_filler(part)) continue;
    for (size_t i = 0; i < part.from.size(); ++i) {
      of_part.push_back(part_of(r, all, i));
      if (of_part.back() == kAbsent) return kAbsent;
    }
  }
  const ValueId v = write_parts(r, o, pictures);
  r.joined.emplace_back(o, v);
  return v;
}

}  // namespace

ValueId operand_value(GraphRewrite& r, const Operand& o) {
  if (o.from.empty()) return kAbsent;
  if (!o.moved.empty()) return moved(r, o);
  if (o.row_channels > 0) return joined_rows(r, o);
  if (o.from.size() == 1) return part_of(r, o, 0);
  for (const auto& [list, v] : r.joined) {
    if (list == o) return v;
  }
  std::vector<ValueId> parts;
  int64_t channels = 0;
  for (size_t i = 0; i < o.from.size(); ++i) {
    const ValueId v = part_of(r, o, i);
    if (v == kAbsent) return kAbsent;
    parts.push_back(v);
    channels += r.graph.value(v).shape[3];
  }
  const ValueId largest = *std::max_element(parts.begin(), parts.end(), [&](ValueId x, ValueId y) {
    return positions(r, x) < positions(r, y);
  });
  const Shape picture = r.graph.value(largest).shape;  // a copy: spread adds values
  for (ValueId& v : parts) v = spread(r, v, picture);
  const Value first = r.graph.value(parts.front());
  const ValueId v = r.add_value("decompiled/concat_" + std::to_string(r.joined.size()), first.dtype,
                                Shape{1, first.shape[1], first.shape[2], channels}, first.quant);
  r.add_op(OpKind::concatenation, ConcatAttrs{3, Activation::none}, parts, v);
  r.joined.emplace_back(o, v);
  return v;
}

}  // namespace edgetwin::edgetpu
