// How a segment is computed where it does not fit at once: in pieces, in bands, in strips.
#include "targets/edgetpu/compile/plan/segment.h"

#include <algorithm>

#include "targets/edgetpu/compile/layout/branches.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
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

constexpr int kMostStripPlans = 40;
constexpr std::array<int64_t, 4> kMostWhole{98'304, 65'536, 49'152, 32'768};

std::optional<Made> in_strips(Lowering& whole, const Source& source, const Segment& segment,
                              const Occupied& before, bool plan_only) {
  std::vector<std::vector<Banding>> tried;
  for (size_t n = 0; n < 2 * kMostWhole.size(); ++n) {
    std::vector<Banding> strips = whole.find_strips(kMostWhole.at(n / 2), n % 2 == 0, false);
    if (strips.empty() || std::ranges::find(tried, strips) != tried.end()) continue;
    tried.push_back(strips);
    auto made = in_parts(source, segment, before, std::move(strips), plan_only, kMostStripPlans);
    if (made) return made;
  }
  return std::nullopt;
}

// Whose rows come from the host and go to it: the quickest of those that fit, not where the host is
// done sooner.
std::optional<Made> in_strips_by_host(Lowering& whole, const Source& source, const Segment& segment,
                                      const Occupied& before, bool plan_only) {
  std::vector<std::pair<double, std::vector<Banding>>> all;
  for (size_t n = 0; n <= 2 * kMostWhole.size(); ++n) {
    const int64_t most = n / 2 < kMostWhole.size() ? kMostWhole.at(n / 2) : 0;
    std::vector<Banding> strips = whole.find_strips(most, n % 2 == 0, true);
    const auto known = [&](const auto& other) { return other.second == strips; };
    if (strips.empty() || std::ranges::any_of(all, known)) continue;
    const HostCost cost = whole.cost_by_host(strips);
    if (cost.chip < cost.host) all.emplace_back(cost.chip, std::move(strips));
  }
  std::ranges::stable_sort(all, {}, [](const auto& strips) { return strips.first; });
  for (auto& [cost, strips] : all) {
    auto made = in_parts(source, segment, before, std::move(strips), plan_only, kMostStripPlans);
    if (made) return made;
  }
  return std::nullopt;
}

// In bands, else in strips.
std::optional<Made> in_parts_of(Lowering& whole, const Source& source, const Segment& segment,
                                const Occupied& before, bool plan_only) {
  if (auto made = in_bands(whole, source, segment, before, plan_only)) return made;
  return in_strips(whole, source, segment, before, plan_only);
}

// What leaves the chip comes first, but not where bands go on past an operator that takes all of a
// tensor: it is done when the last band has that tensor.
void order_as_vendor(const Source& source, Segment& segment, const Occupied& before) {
  const auto leaves = [&](const Op& op) {
    const bool pools =
        op.kind == OpKind::average_pool_2d || op.kind == OpKind::mean || op.kind == OpKind::sum;
    const Shape& s = source.graph.value(op.inputs[0]).shape;
    return segment.scratch && pools && s.rank() == 4 &&
           source.graph.value(op.outputs[0]).shape.elements() == s[3] &&
           needs_scratch(map_of(s[1], s[2], s[3]));
  };
  const auto branches = later_branches(source.graph, std::move(segment.ops));
  segment.ops = heads_by_size(source.graph, lists_when_made(source.graph, branches));
  segment.ops = after_pools(source.graph, std::move(segment.ops), leaves);
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

// What does not fit at once: large results in pieces, lists that leave in parts, bands, strips.
std::optional<Made> with_parts(Lowering& at_once, const Source& source, Segment& segment,
                               const Occupied& before, bool plan_only) {
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
  if (auto made = in_parts_of(whole, source, segment, before, plan_only)) return made;
  if (!by_lists.has_lists()) return std::nullopt;
  return in_parts_of(by_lists, source, lists, before, plan_only);
}

std::variant<CompiledSegment, Refusal> compile_at_once(const Source& source, const Segment& given,
                                                       bool plan_only, const Occupied& before) {
  Segment segment = given;
  if (source.style == Style::vendor) order_as_vendor(source, segment, before);
  Lowering at_once(source, segment, before);
  auto result = at_once.run(plan_only);
  const auto* refusal = std::get_if<Refusal>(&result);
  if (refusal == nullptr) return result;
  const bool parts = refusal->rule == Rule::narrow_memory || refusal->too_large;
  if (parts) {
    if (auto made = with_parts(at_once, source, segment, before, plan_only))
      return std::move(*made);
  }
  // What neither memory holds: rows come from the host and go to it.
  if (parts || (refusal->at_edge && at_once.has_large_input())) {
    if (auto made = in_strips_by_host(at_once, source, given, before, plan_only))
      return std::move(*made);
  }
  return result;
}

}  // namespace

// Where the vendor's ways of gathering lists and pools do not fit, others may.
std::variant<CompiledSegment, Refusal> compile_segment(const Source& source, const Segment& given,
                                                       bool plan_only, const Occupied& before) {
  auto made = compile_at_once(source, given, plan_only, before);
  if (source.style != Style::vendor) return made;
  const auto any = [&](const auto& of) {
    return std::ranges::any_of(given.ops, [&](size_t k) { return of(source.graph.ops[k]); });
  };
  Segment other = given;
  if (const auto* done = std::get_if<CompiledSegment>(&made)) {
    // The host sends inputs before parameters.
    const bool before_parameters = done->streamed_bytes > 0 && given.inputs.size() > 1;
    if (!before_parameters || given.inputs_first) return made;
    other.inputs_first = true;
    return compile_segment(source, other, plan_only, before);
  }
  const auto pools = [](const Op& op) {
    return op.kind == OpKind::average_pool_2d || op.kind == OpKind::mean || op.kind == OpKind::sum;
  };
  if (given.scratch && any(pools)) {
    other.scratch = false;
  } else if (given.mesh_lists && any([](const Op& op) { return only_reshapes(op); })) {
    other.mesh_lists = false;
  } else {
    return made;
  }
  return compile_segment(source, other, plan_only, before);
}

}  // namespace edgetwin::edgetpu::compiler
