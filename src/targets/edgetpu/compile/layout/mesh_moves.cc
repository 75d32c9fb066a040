#include "targets/edgetpu/compile/layout/mesh_moves.h"

#include <algorithm>

#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kPassWords = 4;  // of another tile's words that pass at a time

}  // namespace

Walk box_walk(int64_t first_word, Dims dims) {
  while (dims.size() > 1 && dims.front().count == 1) dims.erase(dims.begin());
  dims = without_ones(dims);
  // A side without a level at word 0 would be none.
  if (dims.empty() && first_word == 0) return {.dims = {{1, 1}}};
  if (dims.empty()) return {.start = first_word, .dims = {{1, 1}}, .levels = 0};
  return {.start = first_word, .dims = dims};
}

bool has_known_forms(Program& p) {
  const darwinn::Bitstream made = p.finish();
  return std::ranges::all_of(parse(made.data).instructions,
                             [](const Instruction& i) { return forms::is_known_coarse(i); });
}

int64_t passes_of(const std::vector<MeshLeg>& legs) {
  int64_t all = 0;
  for (const MeshLeg& leg : legs) {
    for (const MeshLeg::Line& line : leg.lines) {
      if (leg.distance() > 1) all += ceil_div(line.words, kPassWords);
    }
  }
  return all;
}

void MeshMover::run(const std::vector<MeshLeg>& legs, bool idle) {
  uint32_t tiles = 0;
  for (size_t k = 0; k < legs.size(); ++k) {
    move(legs[k]);
    const bool last = std::none_of(
        legs.begin() + static_cast<std::ptrdiff_t>(k) + 1, legs.end(), [&](const MeshLeg& other) {
          return other.distance() == legs[k].distance() && other.forward() == legs[k].forward();
        });
    tiles = counted_ || last ? even_out(legs[k]) : 0;
  }
  if (idle && tiles != 0) p_.tile_sync(0, kAllEngines, false, 0, tiles);
}

// The sender, all tiles between, the receiver. Receivers share an instruction where the whole
// tensors are alike, too.
void MeshMover::move(const MeshLeg& leg) {
  const auto each = [&](const std::function<bool(int)>& of,
                        const std::function<void(Assembly&, const MeshLeg::Line&, int)>& put_sides,
                        bool by_kind) {
    const auto line_of = [&](int r, int c) -> const MeshLeg::Line& {
      return leg.lines.at(static_cast<size_t>(leg.rows ? c : r));
    };
    add_by_tiles(
        p_,
        [&](int r, int c) -> std::optional<Assembly> {
          if (!of(leg.rows ? r : c) || line_of(r, c).words <= 0) return std::nullopt;
          Assembly a(leg.way().opcode);
          put_sides(a, line_of(r, c), r * kGrid + c);
          return a;
        },
        by_kind ? [&](int r, int c) { return line_of(r, c).kind; }
                : std::function<int(int, int)>{});
  };
  each([&](int k) { return k == leg.from; },
       [&](Assembly& a, const MeshLeg::Line& line, int) {
         put(a, kSideA, line.out);
         put(a, kSideB, Walk{});
         if (counted_) a.set("counts.out", 1).set("counts.out.level", line.out.dims.size());
       },
       false);
  const int low = std::min(leg.from, leg.to), high = std::max(leg.from, leg.to);
  each([&](int k) { return k > low && k < high; },
       [&](Assembly& a, const MeshLeg::Line& line, int tile) { pass(a, leg, line.words, tile); },
       false);
  each([&](int k) { return k == leg.to; },
       [&](Assembly& a, const MeshLeg::Line& line, int) {
         put(a, kSideA, Walk{});
         put(a, kSideB, line.in);
         if (counted_) a.set("counts.in", 1).set("counts.in.level", line.in.dims.size());
       },
       true);
}

// Words of other tiles, a few at a time.
void MeshMover::pass(Assembly& a, const MeshLeg& leg, int64_t words, int tile) {
  const int64_t n = ceil_div(words, kPassWords), rest = words % kPassWords;
  Walk w{.start = at_ / 4, .dims = {{1, kPassWords}, {0, n}}};
  if (words == 1) w.dims = {{1, 1}};
  w = w.switched(1, kPassWords);
  if (rest != 0 && words != 1) w = w.shortened(rest, 1, kPassWords - rest);
  put(a, kSideA, w);
  put(a, kSideB, w);
  a.set("counts.out", 1).set("counts.out.level", 1);
  a.set("counts.in", 1).set("counts.in.level", 1);
  int64_t& passed = passed_.at(static_cast<size_t>(tile));
  const int64_t base = base_.at(leg.forward() ? 1 : 0) + passed;
  put_waits(a, {{leg.way().in, 1, base + 1}, {leg.way().out, 1, base - 1, 1, 1}}, true);
  passed += n;
}

// All tiles count as many as the one that most words passed; senders and receivers count one.
uint32_t MeshMover::even_out(const MeshLeg& leg) {
  const int64_t most = std::max<int64_t>(*std::ranges::max_element(passed_), counted_ ? 1 : 0);
  if (most == 0) return 0;
  uint32_t tiles = 0;
  for (int t = 0; t < kTiles; ++t) {
    tiles |= passed_.at(static_cast<size_t>(t)) != most ? 1U << t : 0;
  }
  int64_t& base = base_.at(leg.forward() ? 1 : 0);
  base += most;
  const auto bit = [](TileCounter c) { return 1U << static_cast<uint32_t>(c); };
  p_.even_out(bit(leg.way().in) | bit(leg.way().out), leg.way().engine, base, tiles);
  passed_.fill(0);
  return tiles;
}

}  // namespace edgetwin::edgetpu::compiler
