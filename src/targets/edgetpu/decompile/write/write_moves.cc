#include "targets/edgetpu/decompile/write/write_moves.h"

#include <map>

#include "targets/edgetpu/decompile/write/byte_pieces.h"
#include "targets/edgetpu/decompile/write/graph_edges.h"

namespace edgetwin::edgetpu {
namespace {

std::vector<int32_t> integers(const std::vector<int64_t>& n) { return {n.begin(), n.end()}; }

int64_t rank_of(const std::vector<int64_t>& n) { return static_cast<int64_t>(n.size()); }

// The values of the graph by input or output of the executable. Error: decompile_layer.
Result<std::vector<ValueId>> by_layer(const GraphRewrite& r, const std::vector<darwinn::Layer>& all,
                                      const std::vector<ValueId>& of_op) {
  std::vector<ValueId> values(all.size(), kAbsent);
  for (size_t i = 0; i < of_op.size(); ++i) {
    const size_t index = layer_index(all, r.graph.value(of_op[i]).name, i);
    if (index < values.size()) values[index] = of_op[i];
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const bool bytes = values[i] != kAbsent && byte_size(r.graph.value(values[i]).dtype) == 1;
    if (bytes) continue;
    return Error(ErrorCode::decompile_layer, "'" + all[i].name + "' is no tensor of bytes");
  }
  return values;
}

struct Writer {
  GraphRewrite& r;
  ValueId wanted;
  const std::vector<ValueId>& inputs;
  std::map<int32_t, ValueId> sources{};  // by input: what was made of it

  const Value& output() const { return r.graph.value(wanted); }
  std::string name(const char* what) const { return output().name + "/decompiled/" + what; }

  // The input as the piece sees it: in its own shape or the output's, with the output's numbers. A
  // RESHAPE copies bytes whatever their scale.
  ValueId source(const BytePiece& p) {
    const ValueId v = inputs[static_cast<size_t>(p.input)];
    const Value from = r.graph.value(v);
    const bool same_rank = from.shape.rank() == static_cast<int>(p.size.size());
    if (same_rank && from.dtype == output().dtype && from.quant == output().quant) return v;
    if (const auto made = sources.find(p.input); made != sources.end()) return made->second;
    const ValueId to = r.add_value(name("reshape"), output().dtype,
                                   same_rank ? from.shape : output().shape, output().quant);
    r.reshape_into(v, to, name("reshape"));
    sources.emplace(p.input, to);
    return to;
  }

  bool is_whole(const BytePiece& p, ValueId v) const {
    return r.graph.value(v).shape == Shape(std::span<const int64_t>(p.size));
  }

  ValueId piece(const BytePiece& p, const std::string& of) {
    const Shape shape{std::span<const int64_t>(p.size)};
    if (p.input < 0) {
      const auto n = static_cast<size_t>(shape.elements());
      return r.add_constant(of, output().dtype, shape, output().quant,
                            Bytes(n, static_cast<std::byte>(p.byte)));
    }
    const ValueId from = source(p);
    if (is_whole(p, from)) return from;
    const ValueId to = r.add_value(of, output().dtype, shape, output().quant);
    slice_into(p, from, to, of);
    return to;
  }

  void slice_into(const BytePiece& p, ValueId from, ValueId to, const std::string& of) {
    const int64_t rank = rank_of(p.size);
    const ValueId begin = r.add_integers(of + "/begin", integers(p.from), Shape{rank});
    const ValueId size = r.add_integers(of + "/size", integers(p.size), Shape{rank});
    r.add_op(OpKind::slice, NoAttrs{}, {from, begin, size}, to);
  }

  void pad(const BytePieces& all) {
    std::vector<int32_t> sizes;
    for (size_t k = 0; k < all.before.size(); ++k) {
      sizes.push_back(static_cast<int32_t>(all.before[k]));
      sizes.push_back(static_cast<int32_t>(all.behind[k]));
    }
    const ValueId inner = piece(all.pieces.front(), name("slice"));
    const ValueId paddings = r.add_integers(name("paddings"), sizes, Shape{rank_of(all.before), 2});
    // PAD fills with the zero point.
    if (all.fill == static_cast<uint8_t>(output().quant.zero_point_of(0))) {
      r.add_op(OpKind::pad, NoAttrs{}, {inner, paddings}, wanted);
      return;
    }
    const ValueId fill = r.add_constant(name("fill"), output().dtype, Shape{}, output().quant,
                                        Bytes(1, static_cast<std::byte>(all.fill)));
    r.add_op(OpKind::padv2, NoAttrs{}, {inner, paddings, fill}, wanted);
  }

  void join(const BytePieces& all) {
    std::vector<ValueId> parts;
    for (const BytePiece& p : all.pieces) {
      parts.push_back(piece(p, name("piece_") + std::to_string(parts.size())));
    }
    r.add_op(OpKind::concatenation, ConcatAttrs{all.axis, Activation::none}, parts, wanted);
  }

  void single(const BytePiece& p) {
    const ValueId from = inputs[static_cast<size_t>(p.input)];
    if (r.graph.value(from).shape.elements() == output().shape.elements()) {
      r.reshape_into(from, wanted, name("reshape"));
    } else {
      slice_into(p, source(p), wanted, name("slice"));
    }
  }
};

Status write_output(Writer w, const ByteOrigins& origins, const std::vector<Shape>& shapes) {
  const auto all = pieces_of(origins, w.output().shape, shapes);
  const bool understood =
      all && (!all->before.empty() || all->pieces.size() > 1 || all->pieces.front().input >= 0);
  if (!understood) {
    return Error(ErrorCode::decompile_layer, "output '" + w.output().name +
                                                 "' is made of bytes of the inputs, but not by " +
                                                 "slices, paddings or concatenations");
  }
  if (!all->before.empty()) {
    w.pad(*all);
  } else if (all->pieces.size() > 1) {
    w.join(*all);
  } else {
    w.single(all->pieces.front());
  }
  return Ok{};
}

}  // namespace

Status write_moves(GraphRewrite& r, const Op& old, const ByteProgram& program) {
  EDGETWIN_TRY_ASSIGN(const auto inputs, by_layer(r, r.inference.inputs, old.inputs));
  EDGETWIN_TRY_ASSIGN(const auto outputs, by_layer(r, r.inference.outputs, old.outputs));
  std::vector<size_t> bytes;
  std::vector<Shape> shapes;
  for (const ValueId v : inputs) {
    shapes.push_back(r.graph.value(v).shape);
    bytes.push_back(static_cast<size_t>(shapes.back().elements()));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<ByteOrigins> origins, trace_bytes(program, bytes));
  for (size_t o = 0; o < outputs.size() && o < origins.size(); ++o) {
    EDGETWIN_TRY(write_output({r, outputs[o], inputs}, origins[o], shapes));
  }
  auto& ops = r.graph.ops;
  ops.erase(ops.begin() + static_cast<long>(r.op.op));
  ops.insert(ops.begin() + static_cast<long>(r.op.op), r.made.begin(), r.made.end());
  return Ok{};
}

}  // namespace edgetwin::edgetpu
