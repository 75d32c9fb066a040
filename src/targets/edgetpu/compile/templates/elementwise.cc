#include <algorithm>
#include <bit>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
void load_function(Program& p, const numerics::edgetpu::FunctionTable& table) {
  Assembly a = p.engine(Opcode::table, kAllTiles);
  size_t n = 0;
  for (const auto& piece : table.piece) {
    for (const float c : piece) a.set("coefficient", std::bit_cast<uint32_t>(c), n++);
  }
  for (size_t k = 0; k < table.bound.size(); ++k) {
    a.set("bound", std::bit_cast<uint32_t>(table.bound[k]), k);
  }
  a.set("kind", 3);
  p.add(a);
}

void pair_constants(Program& p, int32_t weight_a, int32_t weight_b, int32_t zero, int64_t scratch,
                    int64_t line) {
  const auto pair = [zero](int32_t first, int32_t second) {
    return static_cast<uint32_t>(first + zero) | static_cast<uint32_t>(second + zero) << 16U;
  };
  const uint32_t a = pair(weight_a, 0), c = pair(0, weight_a), none = pair(0, 0);
  const uint32_t b = pair(weight_b, 0), d = pair(0, weight_b);
  write_lines(p, {a, c, none, none, none, none, a, c, b, d, none, none, none, none, b, d}, scratch,
              line);
}

Assembly two_operands(const Places& in, int64_t distance, const Places& out, const Positions& n,
                      const Numbers& numbers, int64_t line) {
  TensorSpec spec;
  spec.loop = {2, 2};
  for (const int64_t count : {n.columns, n.rows, n.words}) {
    if (count != 1) spec.loop.push_back(count);
  }
  const auto walk = [&](const Places& box, Dims dims) {
    for (const Dim& d :
         Dims{{box.pixel, n.columns}, {box.row, n.rows}, {box.row * n.rows, 1}, {4, n.words}}) {
      dims.push_back(d);
    }
    return Walk{.start = box.start, .dims = std::move(dims)};
  };
  spec.in = walk(in, {{2, 2}, {distance, 2}});
  spec.out = walk(out, {{4, 1}});
  const int64_t all = n.columns * n.rows * n.words;
  spec.weight = {.start = 4 * line, .dims = {{4, 4}, {0, all}}};
  spec.acc.dims = {{0, 4}, {0, all}};
  spec.acc = spec.acc.switched(1, 4);
  spec.avdata_level = 4;
  spec.kind = 0xB0;
  spec.role = Role::two_operands;
  return tensor(spec, numbers);
}

void constant(Program& p, const ConstantSpec& s) {
  const Map& m = *s.map;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const int64_t words = m.x.own(c) * m.words(), rows = m.y.own(r);
    Assembly a(Opcode::wide_to_narrow);
    put(a, kSideA, {.start = s.line, .dims = {{1, ceil_div(words * rows, kLineWords)}}});
    put(a, kSideB,
        {.start = m.own(r, c) / 4,
         .dims = fused(without_ones({{1, words}, {m.row(c) / 4, rows}}, 1))});
    return a.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  });
}

void addition(Program& p, const AddSpec& s) {
  pair_constants(p, s.weight_a, s.weight_b, s.numbers.weight_zero, s.scratch, s.line);
  const Map &x = *s.a, &y = *s.b, &o = *s.out;
  add_by_tiles(p, [&](int r, int k) -> std::optional<Assembly> {
    if (!o.has(r, k)) return std::nullopt;
    return two_operands({x.own(r, k), x.pixel(), x.row(k)}, y.own(r, k) - x.own(r, k),
                        {o.own(r, k), o.pixel(), o.row(k)}, {o.x.own(k), o.y.own(r), o.words()},
                        s.numbers, s.line);
  });
}

}  // namespace edgetwin::edgetpu::compiler
