// In how many rectangles a chain of layers is computed: the number that costs least of those that
// may fit.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Axis axis_of(int64_t size, const Window& w) {
  Axis axis(size);
  axis.widen(w);
  return axis;
}

// Iterations for a position.
int64_t iterations_of(const Op& op, const ReferenceLayer* l, int64_t channels) {
  const int64_t words = ceil_div(channels, 4);
  if (l == nullptr) return op.kind == OpKind::average_pool_2d ? words * 4 : words * 2;
  const int64_t taps = int64_t{l->shape.kernel_h} * l->shape.kernel_w;
  if (l->shape.kind == BlockKind::depthwise) return words * taps;
  return words * taps * ceil_div(l->shape.out, 64);
}

}  // namespace

bool Banding::next() {
  if (tried == cuts.size()) return false;
  rows = cuts[tried].rows;
  columns = cuts[tried].columns;
  ++tried;
  return true;
}

// Of one rectangle through all layers. Each of them has what it takes and what it makes, beside
// what the chain begins with and ends in. More bytes than there are where it cannot be done.
Need Lowering::need_of(const std::vector<Layer>& layers, const Rectangles& r) {
  Need need;
  int64_t before = 0;
  const size_t n = layers.size();
  for (size_t k = 0; k <= n; ++k) {
    const Op& op = graph().ops[layers[std::min(k, n - 1)].op];
    Map map;
    map.channels = store(k < n ? layers[k].reading.from : op.outputs[0]).map.channels;
    map.y = k < n ? axis_of(r.y[k].size(), r.windows[k].y) : Axis(r.y[k].size());
    map.x = k < n ? axis_of(r.x[k].size(), r.windows[k].x) : Axis(r.x[k].size());
    const bool possible = map.y.size >= kGrid && map.x.size >= kGrid && map.y.by_neighbours() &&
                          map.x.by_neighbours();
    const int64_t bytes = possible ? map.bytes() : kNarrowBytes + 1;
    need.bytes = std::max(need.bytes, before + bytes);
    before = bytes;
    // To and from the whole tensor: words that leave one tile and come to another.
    if (k == 0 || k == n) {
      (k == 0 ? need.first : need.last) = bytes;
      need.steps += static_cast<double>(bytes) / 4 * 2 +
                    limits::host_byte_steps * limits::rectangle_code_bytes;
    }
    if (k == n) break;
    const double positions = static_cast<double>(ceil_div(r.y[k + 1].size(), kGrid) *
                                                 ceil_div(r.x[k + 1].size(), kGrid));
    need.steps += limits::band_layer_steps +
                  limits::host_byte_steps * limits::band_layer_code_bytes +
                  limits::iteration_steps * positions *
                      static_cast<double>(iterations_of(op, layers[k].reference, map.channels));
    const int64_t border = bytes - map.y.own(0) * map.x.own(0) * map.pixel();
    need.steps += static_cast<double>(border) / 4;
  }
  return need;
}

void Lowering::find_cuts(Banding& banding) {
  const std::vector<Layer> layers = layers_of(banding);
  const Map& input = store(layers.front().reading.from).map;
  const int64_t begin = banding.by_host ? 0 : input.bytes();
  const int64_t end = store(graph().ops[layers.back().op].outputs[0]).map.bytes();
  const int64_t room = kNarrowBytes - (banding.results_wait() || banding.mesh ? 0 : begin + end);
  for (int64_t rows = 1; rows <= limits::most_cuts; ++rows) {
    for (int64_t columns = 1; columns <= limits::most_cuts; ++columns) {
      Banding::Cut cut{rows, columns};
      int64_t most = 0;
      for (int64_t k = 0; k < rows * columns; ++k) {
        const Rectangles r = rectangles(layers, {banding.first, banding.last, rows, columns},
                                        k / columns, k % columns);
        const Need need = need_of(layers, r);
        cut.steps += need.steps;
        most = std::max(most, need.bytes);
        if (banding.results_wait()) {
          most = std::max({most, begin + need.first, end + need.last});
        }
        if (!banding.by_host || banding.mesh) continue;
        Map sent = input;
        sent.y = Axis(r.y[0].size()), sent.x = Axis(input.x.size);
        if (picture_part(sent) > kMostPicturePart) most = room + 1;
        if (columns > 1) {
          most = std::max(most, sent.bytes() + (banding.by_lines ? need.first : need.bytes));
        }
        if (k % columns == 0) {
          cut.steps += limits::host_byte_steps *
                       (static_cast<double>(sent.y.size * sent.x.size * sent.channels) +
                        limits::rectangle_code_bytes);
        }
      }
      if (!banding.asides.empty() && rows > 1) most = room + 1;
      if (most <= room && rows * columns > 1) banding.cuts.push_back(cut);
    }
  }
  if (banding.mesh) {
    // The vendor's compiler takes the first that fits of 1 x 2, 2 x 2, 2 x 3, 3 x 3, ...
    std::erase_if(banding.cuts, [](const Banding::Cut& c) {
      return c.columns != c.rows && c.columns != c.rows + 1;
    });
    std::ranges::stable_sort(banding.cuts, {},
                             [](const Banding::Cut& c) { return c.rows + c.columns; });
    return;
  }
  std::ranges::stable_sort(banding.cuts, {}, &Banding::Cut::steps);
}

}  // namespace edgetwin::edgetpu::compiler
