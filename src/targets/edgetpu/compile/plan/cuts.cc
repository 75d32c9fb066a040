// How a segment is computed where it does not fit at once: in pieces, in bands, in strips. In how
// many rectangles a chain of layers is computed: the number that costs least of those that may fit.
#include <algorithm>

#include "targets/edgetpu/compile/layout/branches.h"
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

namespace {

using Made = std::variant<CompiledSegment, Refusal>;

bool has_op(const Banding& b, const Segment& segment, size_t op) {
  const auto begin = segment.ops.begin();
  return std::find(begin + static_cast<std::ptrdiff_t>(b.first),
                   begin + static_cast<std::ptrdiff_t>(b.last) + 1,
                   op) != begin + static_cast<std::ptrdiff_t>(b.last) + 1;
}

// The first count of parts for which all of it fits; nothing where there is none. `by_wide`: wide
// memory was against one.
std::optional<Made> in_parts(const Source& source, const Segment& segment, const Occupied& before,
                             std::vector<Banding> bandings, bool plan_only, int most_plans,
                             bool* by_wide = nullptr) {
  for (Banding& b : bandings) {
    if (!b.next()) return std::nullopt;
  }
  for (int n = 0; n < most_plans; ++n) {
    Lowering cut(source, segment, before, bandings);
    Made made = cut.run(plan_only);
    const auto* why = std::get_if<Refusal>(&made);
    if (why == nullptr) return made;
    const bool by_op = why->rule == Rule::form || why->too_large;
    const bool by_lines = why->rule == Rule::wide_memory || why->rule == Rule::parameter_room;
    if (by_wide != nullptr && by_lines) *by_wide = true;
    if (why->rule != Rule::narrow_memory && !by_op && !by_lines) return std::nullopt;
    bool more = false;
    for (Banding& b : bandings) {
      const bool apart = by_lines ? !b.by_host || !b.by_lines
                         : by_op  ? !has_op(b, segment, why->op)
                                  : cut.fits(b);
      if (apart) continue;
      more = true;
      if (!b.next()) return std::nullopt;
    }
    if (!more) return std::nullopt;
  }
  return std::nullopt;
}

// With rectangles that wait in wide memory, if all parameters can rest beside them.
std::optional<Made> in_bands(Lowering& whole, const Source& source, const Segment& segment,
                             const Occupied& before, bool plan_only) {
  constexpr int kMostPlans = 16;
  if (source.style == Style::vendor) {
    std::vector<Banding> bandings = whole.find_bandings(true);
    const bool all = std::ranges::all_of(bandings, [&](Banding& b) {
      b.mesh = whole.can_mesh(b);
      b.by_host = whole.comes_by_rows(b);
      whole.find_cuts(b);
      return b.mesh;
    });
    if (all && !bandings.empty()) {
      auto made = in_parts(source, segment, before, std::move(bandings), plan_only, kMostPlans);
      if (made) return made;
    }
  }
  const std::vector<Banding> found = whole.find_bandings(false);
  std::optional<Made> streams;
  const bool rows =
      std::ranges::any_of(found, [&](const Banding& b) { return whole.comes_by_rows(b); });
  bool by_wide = true;
  using How = std::array<bool, 3>;
  for (const auto& [by_host, by_lines, shared] :
       {How{false, true, true}, How{false, true, false}, How{false, false, false},
        How{true, true, true}, How{true, true, false}, How{true, false, false}}) {
    if (found.empty() || (by_lines && source.style == Style::vendor) || (by_host && !rows))
      continue;
    // Shared or not, only lines of wide memory are others.
    if (by_lines && !shared && !by_wide) continue;
    std::vector<Banding> bandings = found;
    for (Banding& b : bandings) {
      b.by_lines = by_lines, b.shared = shared;
      b.by_host = by_host && whole.comes_by_rows(b);
    }
    if (std::ranges::any_of(bandings,
                            [&](const Banding& b) { return whole.ends_of(b) > kNarrowBytes; })) {
      continue;
    }
    for (Banding& b : bandings) whole.find_cuts(b);
    by_wide = false;
    auto made =
        in_parts(source, segment, before, std::move(bandings), plan_only, kMostPlans, &by_wide);
    if (!made) continue;
    by_wide = true;
    const bool streaming = std::get<CompiledSegment>(*made).streamed_bytes != 0;
    if (!streaming || (!by_lines && !by_host)) return made;
    // Parameters would have to come between rows.
    if (!streams && !by_host) streams = std::move(made);
  }
  return streams;
}

// In bands, else in strips.
std::optional<Made> in_parts_of(Lowering& whole, const Source& source, const Segment& segment,
                                const Occupied& before, bool plan_only) {
  if (auto made = in_bands(whole, source, segment, before, plan_only)) return made;
  constexpr int kMostStripPlans = 40;
  constexpr std::array<int64_t, 4> kMost{98'304, 65'536, 49'152, 32'768};
  std::vector<std::vector<Banding>> tried;
  for (size_t n = 0; n < 2 * kMost.size(); ++n) {
    const int64_t most = kMost.at(n / 2);
    std::vector<Banding> strips = whole.find_strips(most, n % 2 == 0);
    if (strips.empty() || std::ranges::find(tried, strips) != tried.end()) continue;
    tried.push_back(strips);
    auto made = in_parts(source, segment, before, std::move(strips), plan_only, kMostStripPlans);
    if (made) return made;
  }
  return std::nullopt;
}

// What leaves the chip comes first, but not where bands go on past an operator that takes all of a
// tensor: it is done when the last band has that tensor.
void order_as_vendor(const Source& source, Segment& segment, const Occupied& before) {
  segment.ops = later_branches(source.graph, segment.ops);
  std::vector<size_t> leaving = leaving_first(source.graph, segment.ops);
  if (leaving == segment.ops) return;
  Lowering in_order(source, segment, before);
  const auto made = in_order.run(true);
  const auto* refusal = std::get_if<Refusal>(&made);
  if (refusal != nullptr && (refusal->rule == Rule::narrow_memory || refusal->too_large)) {
    const auto past = [](const Banding& b) { return !b.asides.empty(); };
    if (std::ranges::any_of(in_order.find_bandings(true), past)) return;
  }
  segment.ops = std::move(leaving);
}

}  // namespace

std::variant<CompiledSegment, Refusal> compile_segment(const Source& source, const Segment& given,
                                                       bool plan_only, const Occupied& before) {
  Segment segment = given;
  if (source.style == Style::vendor) order_as_vendor(source, segment, before);
  Lowering at_once(source, segment, before);
  auto result = at_once.run(plan_only);
  const auto* refusal = std::get_if<Refusal>(&result);
  if (refusal == nullptr) return result;
  if (refusal->rule != Rule::narrow_memory && !refusal->too_large) return result;
  Segment pieces = segment;
  pieces.pieces = source.style == Style::own;
  Lowering piecewise(source, pieces, before);
  if (pieces.pieces && at_once.would_have_pieces()) {
    auto made = piecewise.run(plan_only);
    if (std::holds_alternative<CompiledSegment>(made)) return made;
  }
  Segment lists = pieces;
  lists.lists = pieces.pieces;
  Lowering by_lists(source, lists, before);
  if (lists.lists) {
    auto made = by_lists.run(plan_only);
    if (std::holds_alternative<CompiledSegment>(made)) return made;
  }
  Lowering& whole = piecewise.has_pieces() ? piecewise : at_once;
  if (piecewise.has_pieces()) segment = pieces;
  if (auto made = in_parts_of(whole, source, segment, before, plan_only)) return std::move(*made);
  if (by_lists.has_lists()) {
    if (auto made = in_parts_of(by_lists, source, lists, before, plan_only))
      return std::move(*made);
  }
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
