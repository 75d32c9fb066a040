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

}  // namespace

int64_t iterations_of(const Op& op, const ReferenceLayer* l, int64_t channels) {
  const int64_t words = ceil_div(channels, 4);
  if (l == nullptr) return op.kind == OpKind::average_pool_2d ? words * 4 : words * 2;
  const int64_t taps = int64_t{l->shape.kernel_h} * l->shape.kernel_w;
  if (l->shape.kind == BlockKind::depthwise) return words * taps;
  return words * taps * ceil_div(l->shape.out, 64);
}

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

namespace {

// A cut that fills narrow memory gives way to the first that does not and hardly costs more.
// `beside` bytes are taken by other tensors; the cuts are sorted by steps.
void leave_room(std::vector<BandCut>& cuts, int64_t beside) {
  const auto fills = [&](const BandCut& c) { return beside + c.bytes > limits::full_bytes; };
  if (cuts.empty() || !fills(cuts.front())) return;
  const auto roomy = std::ranges::find_if_not(cuts, fills);
  if (roomy == cuts.end() || roomy->steps > cuts.front().steps * limits::roomy_share) return;
  std::rotate(cuts.begin(), roomy, roomy + 1);
}

// The first to try first. `beside` bytes are taken by other tensors.
void sort_cuts(std::vector<BandCut>& cuts, bool mesh, int64_t beside) {
  if (mesh) {
    // The vendor's compiler takes the first that fits of 1 x 2, 2 x 2, 2 x 3, 3 x 3, ...
    std::erase_if(cuts,
                  [](const BandCut& c) { return c.columns != c.rows && c.columns != c.rows + 1; });
    std::ranges::stable_sort(cuts, {}, [](const BandCut& c) { return c.rows + c.columns; });
    return;
  }
  std::ranges::stable_sort(cuts, {}, &BandCut::steps);
  leave_room(cuts, beside);
}

}  // namespace

// All that the cuts of these layers depend on.
std::vector<int64_t> Lowering::traits_of(const Banding& b, const std::vector<Layer>& layers) {
  std::vector<int64_t> all = {b.by_host, b.by_lines, b.mesh, !b.asides.empty()};
  const auto add = [&](const Map& m) {
    all.insert(all.end(), {m.y.size, m.x.size, m.channels, m.bytes()});
  };
  for (const Layer& l : layers) {
    all.push_back(static_cast<int64_t>(l.op));
    add(store(l.reading.from).map);
    for (const Window* w : {&l.reading.windows.y, &l.reading.windows.x}) {
      all.insert(all.end(), {w->outputs, w->kernel, w->stride, w->front, w->dilation});
    }
  }
  add(store(graph().ops[layers.back().op].outputs[0]).map);
  return all;
}

// What `banding` costs with its rows and columns. `room`: bytes for rectangles.
BandCut Lowering::cost_of(const Banding& banding, const std::vector<Layer>& layers, int64_t room) {
  const Map& input = store(layers.front().reading.from).map;
  const int64_t begin = banding.by_host ? 0 : input.bytes();
  const int64_t end = store(graph().ops[layers.back().op].outputs[0]).map.bytes();
  BandCut cut{banding.rows, banding.columns};
  for (int64_t k = 0; k < banding.rows * banding.columns; ++k) {
    const Rectangles r = rectangles(layers, banding, k / banding.columns, k % banding.columns);
    const Need need = need_of(layers, r);
    cut.steps += need.steps;
    cut.bytes = std::max(cut.bytes, need.bytes);
    if (banding.results_wait()) {
      cut.bytes = std::max({cut.bytes, begin + need.first, end + need.last});
    }
    if (!banding.by_host || banding.mesh) continue;
    Map sent = input;
    sent.y = Axis(r.y[0].size()), sent.x = Axis(input.x.size);
    if (banding.columns > 1) {
      cut.bytes = std::max(cut.bytes, sent.bytes() + (banding.by_lines ? need.first : need.bytes));
    }
    if (k % banding.columns == 0) {
      cut.steps += limits::host_byte_steps *
                   (static_cast<double>(sent.y.size * sent.x.size * sent.channels) +
                    limits::rectangle_code_bytes);
    }
  }
  if (!banding.asides.empty() && banding.rows > 1) cut.bytes = room + 1;
  return cut;
}

void Lowering::find_cuts(Banding& banding) {
  const std::vector<Layer> layers = layers_of(banding);
  const auto [known, fresh] = source_.cuts.try_emplace(traits_of(banding, layers));
  std::vector<BandCut>& cuts = known->second;
  if (fresh) {
    const int64_t ends = banding.results_wait() || banding.mesh ? 0 : ends_of(banding);
    const int64_t room = kNarrowBytes - ends;
    Banding tried = banding;
    for (tried.rows = 1; tried.rows <= limits::most_cuts; ++tried.rows) {
      for (tried.columns = 1; tried.columns <= limits::most_cuts; ++tried.columns) {
        const BandCut cut = cost_of(tried, layers, room);
        if (cut.bytes <= room && cut.rows * cut.columns > 1) cuts.push_back(cut);
      }
    }
    sort_cuts(cuts, banding.mesh, ends);
  }
  banding.cuts = cuts;
}

}  // namespace edgetwin::edgetpu::compiler
