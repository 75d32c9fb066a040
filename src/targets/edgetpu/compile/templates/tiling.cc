#include "targets/edgetpu/compile/templates/tiling.h"

#include <algorithm>
#include <array>
#include <optional>

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kBufferLines = 32;  // two buffers of so many lines are taken where they suffice
constexpr int64_t kKept = 32;         // lines above the numbers that no instruction names

int64_t inner_words(const Tiling& t) {
  int64_t best = 1;
  for (int64_t c = 1; c <= t.words; ++c) {
    if (t.words % c == 0 && 2 * (c * t.taps + t.header) <= kBufferLines) best = c;
  }
  return best;
}

// Largest first from the top; of equal ones sums, then numbers, then weights.
void place(Tiling& t, int64_t top) {
  t.top = top;
  struct Item {
    int64_t lines, *first;
  };
  const int64_t sums = t.finished || (t.positions == 1 && !t.one_sum) ? 0 : t.positions;
  std::array<Item, 3> items{Item{sums, &t.sums_line},
                            Item{kKept + t.header * t.buffers(), &t.header_line},
                            Item{t.lines() * t.buffers(), &t.weight_line}};
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.lines > b.lines; });
  for (const Item& item : items) {
    top -= item.lines;
    *item.first = top;
  }
  t.lowest_line = top;
}

void take(Tiling& t, bool finished, int64_t inner, int64_t top) {
  t.finished = finished;
  t.inner = finished ? t.words : inner;
  const int64_t both = t.lines() + t.header;
  t.two = 2 * both <= kBufferLines || both > kBufferLines;
  // No public program has one buffer and a header before several passes.
  if (!finished && t.outer() > 1) t.two = true;
  place(t, top);
  if (t.fits() || !t.two) return;
  t.two = false;
  place(t, top);
}

}  // namespace

void Tiling::shift(int64_t lines) {
  for (int64_t* line : {&top, &weight_line, &header_line, &sums_line, &lowest_line}) {
    *line += lines;
  }
}

void Tiling::fit(int64_t sums) {
  positions = sums;
  place(*this, top);
}

Tiling tiling_of(Tiling t, int64_t top) {
  if (t.depthwise) {
    t.inner = 1;
    t.finished = t.two = true;
    place(t, top);
    return t;
  }
  const int64_t inner = inner_words(t);
  const int64_t all = 2 * t.words * t.taps;
  const int64_t pieces = t.positions + 2 * inner * t.taps;
  const bool finished =
      all < pieces || t.words == 1 || (t.taps == 1 && all == pieces) || inner == t.words;
  take(t, finished, inner, top);
  if (!t.fits()) take(t, !finished || inner == t.words, inner, top);
  return t;
}

std::vector<Tiling> other_tilings(const Tiling& law, int64_t top) {
  std::vector<Tiling> all;
  const auto add = [&](bool finished, int64_t inner, std::optional<bool> two) {
    Tiling t = law;
    take(t, finished, inner, top);
    if (two) {
      if (t.two == *two || (!*two && !finished && t.outer() > 1)) return;
      t.two = *two;
      place(t, top);
    }
    if (t.fits()) all.push_back(t);
  };
  const int64_t inner = inner_words(law);
  add(!law.finished || inner == law.words, inner, std::nullopt);
  for (const std::optional<bool> two : {std::optional<bool>(), {true}, {false}}) {
    add(true, law.words, two);
    for (int64_t c = 1; c < law.words; ++c) {
      if (law.words % c == 0) add(false, c, two);
    }
  }
  return all;
}

void set_order(const Tiling& t, BlockShape& shape) {
  shape.order = LineOrder::input_outer;
  shape.inner_words = 0;
  if (t.depthwise || t.taps == 1 || t.words == 1) return;
  if (t.finished) {
    shape.order = LineOrder::input_inner;
  } else if (t.inner > 1) {
    shape.inner_words = static_cast<int>(t.inner);
  }
}

}  // namespace edgetwin::edgetpu::compiler
