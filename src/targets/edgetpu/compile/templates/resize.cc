// RESIZE_BILINEAR to a larger size. Public programs have twice the size; others are the same
// instruction with other steps. Source: specification "heads" 5.
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr float kResizeScale = 1.0F / 16384;

// A column or row of a tile to its neighbour in the same buffer.
struct Edge {
  int64_t from = 0, to = 0, columns = 0, rows = 0;
};

Assembly copied_edge(const Map& m, int64_t line, int r, int c, const Edge& e) {
  const int64_t words = m.words(), n = words * e.columns * e.rows;
  const int64_t row = m.row(c), whole = m.y.total(r) * row;
  TensorSpec spec;
  spec.loop = {1, n};
  spec.in = {.start = e.from,
             .dims = {{4, words},
                      {0, 1},
                      {m.pixel(), e.columns},
                      {0, 1},
                      {row, e.rows},
                      {0, 1},
                      {whole, 1},
                      {0, 1}}};
  spec.out = {.start = e.to,
              .dims = {{4, words}, {m.pixel(), e.columns}, {row, e.rows}, {whole, 1}}};
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * line, .dims = {{4, 1}, {0, n}}};
  spec.acc.dims = {{0, n}};
  spec.acc = spec.acc.switched(0, 256);
  spec.kind = 0x30;
  spec.role = Role::copy;
  return tensor(spec, copy_numbers());
}

// The nearest column, or row, of the picture over its edge.
void copy_edge(Program& p, const Map& m, int64_t line, bool columns, bool last) {
  const Axis& axis = columns ? m.x : m.y;
  const int at = last ? axis.last() : 0;
  if ((last ? axis.back : axis.front)[static_cast<size_t>(at)] == 0) return;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c) || (columns ? c : r) != at) return std::nullopt;
    const auto k = static_cast<size_t>(at);
    const int64_t from = axis.front[k] + (last ? axis.own(at) - 1 : 0), to = from + (last ? 1 : -1);
    const int64_t step = columns ? m.pixel() : m.row(c);
    return copied_edge(m, line, r, c,
                       {m.base + from * step, m.base + to * step, columns ? 1 : m.x.total(c),
                        columns ? m.y.total(r) : 1});
  });
}

// Where the first window begins, in the tile's buffer: a whole pixel and parts of one.
struct First {
  int64_t pixel = 0, part = 0;
};
First first_of(const Axis& in, const Stretch& s, int t) {
  const int64_t low = s.low(t);
  return {in.front[static_cast<size_t>(t)] + low - in.begin(t),
          s.start + s.step * part_begin(s.outputs, t) - Stretch::kParts * low};
}

}  // namespace

void resize(Program& p, const ResizeSpec& s) {
  const Map &m = *s.in, &o = *s.out;
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  copy_edge(p, m, line, true, false);
  copy_edge(p, m, line, true, true);
  p.settle();
  copy_edge(p, m, line, false, false);
  copy_edge(p, m, line, false, true);
  p.settle();
  Numbers numbers;
  numbers.multiplier = kResizeScale;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!o.has(r, c)) return std::nullopt;
    const int64_t w = o.x.own(c), h = o.y.own(r), words = o.words();
    const First x = first_of(m.x, s.x, c), y = first_of(m.y, s.y, r);
    TensorSpec spec;
    spec.opcode = Opcode::tensor_resize;
    spec.loop = {2, 2, w, h, 1, words};
    spec.in = {.start = m.base + y.pixel * m.row(c) + x.pixel * m.pixel(),
               .dims = {{m.pixel(), 2},
                        {m.row(c), 2},
                        {0, w},
                        {0, h},
                        {m.row(c) * m.y.total(r), 1},
                        {4, words}}};
    spec.out = {.start = o.own(r, c),
                .dims = {{4, 1}, {o.pixel(), w}, {o.row(c), h}, {o.row(c) * h, 1}, {4, words}}};
    spec.avdata_level = 4;
    spec.acc.dims = {{0, 4}, {0, w * h * words}};
    spec.acc = spec.acc.switched(1, 4);
    spec.kind = 0x18B0;
    spec.role = Role::resize;
    Assembly a = tensor(spec, numbers);
    a.set("columns.level", 2).set("rows.level", 3);
    a.set("columns.start", static_cast<uint64_t>(x.part))
        .set("columns.step", static_cast<uint64_t>(s.x.step));
    a.set("rows.start", static_cast<uint64_t>(y.part))
        .set("rows.step", static_cast<uint64_t>(s.y.step));
    a.set("columns.pitch", static_cast<uint64_t>(m.pixel()));
    a.set("rows.pitch", static_cast<uint64_t>(m.row(c)));
    return a;
  });
}

}  // namespace edgetwin::edgetpu::compiler
