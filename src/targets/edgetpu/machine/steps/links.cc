// Who fills what others empty. Two buffers in turn say so themselves. A buffer that is filled once,
// or one that is filled again as soon as it is empty, shows only in the instruction that fills it:
// those that empty it are found by the lines they read.
#include <algorithm>

#include "targets/edgetpu/machine/steps/step.h"

namespace edgetwin::edgetpu::machine {
namespace {

bool receives(const Step& s) {
  return s.opcode == Opcode::ring_receive || s.opcode == Opcode::ring_receive1;
}

// The level after which the same lines are visited again; the number of levels if there is none.
size_t level_of_reuse(const Generator& g) {
  for (size_t k = 0; k < g.path.size; ++k) {
    if (g.path.level[k].count > 1 && g.path.level[k].net == 0) return k;
  }
  return g.path.size;
}

uint64_t passes_of(const Generator& g, uint64_t limit) {
  const uint64_t pass = g.pass_places();
  return pass == 0 ? 0 : (g.count(limit) + pass - 1) / pass;
}

constexpr uint64_t kMany = uint64_t{1} << 40U;

// One buffer that the ring fills several times.
void find_refilled(Step& r) {
  if (!r.a.streamed()) {
    const size_t level = level_of_reuse(r.a);
    if (level < r.a.path.size) {
      r.a.switch_level = level;
      r.a.stream_by = static_cast<int64_t>(r.a.pass_places());
    }
  }
  HeaderLines& h = r.header;
  const auto lines = static_cast<int64_t>(std::min(r.a.count(kMany), kMany));
  if (h.count != 0 && h.period != 0 && lines > h.period) h.streamed = true;
}

// The last step before `n` in the same tiles for which `fits` holds.
template <class Fits>
const Step* last_before(const std::vector<Step>& list, size_t n, Fits&& fits) {
  for (size_t k = n; k-- > 0;) {
    if ((list[k].tiles & list[n].tiles) != 0 && fits(list[k])) return &list[k];
  }
  return nullptr;
}

template <class Fits>
const Step* receiver_before(const std::vector<Step>& list, size_t n, Fits&& fits) {
  return last_before(list, n, [&](const Step& s) { return receives(s) && fits(s); });
}

bool in_header(const Step& r, int64_t line) {
  return r.header.count != 0 && line >= r.header.start && line < r.header.start + r.header.count;
}

// The ring puts it in place, among lines of one block: whatever buffers others had there before.
bool over(const Step& r, int64_t line) {
  const auto lines = static_cast<int64_t>(std::min(r.a.count(kMany), kMany));
  return !r.a.streamed() && r.a.path.start <= line && line < r.a.path.start + lines;
}

// w2n, of scales and biases. Sums that a tensor instruction left are where it left them.
void link_numbers(std::vector<Step>& list, size_t n) {
  Step& s = list[n];
  const Step* r = last_before(list, n, [&](const Step& c) {
    if (c.nest && c.leaves_sums() && c.acc.path.start / 4 == s.a.path.start) return true;
    const bool begins = c.a.path.start == s.a.path.start;  // lines that have numbers alone
    return receives(c) && (begins || in_header(c, s.a.path.start) || over(c, s.a.path.start));
  });
  if (r == nullptr || !receives(*r) || !r->header.streamed) return;
  s.header_start = r->header.start;
  if (s.a.streamed()) return;
  s.a.stream_by = r->header.count;
  s.a.switch_level = level_of_reuse(s.a);
}

// The receiver whose buffers a w2n that does not speak of buffers reads: one whose buffer begins
// where it does, else the next or last one whose first buffer has the line.
const Step* filled_for(const std::vector<Step>& list, size_t n) {
  const Step& s = list[n];
  const Step* holds = nullptr;
  for (size_t k = 0; k < list.size(); ++k) {
    const Step& r = list[k];
    if (!receives(r) || !r.a.streamed() || (r.tiles & s.tiles) == 0) continue;
    const int64_t at = s.a.path.start - r.a.path.start;
    if (at == 0) return &r;
    if (at < 0 || at >= r.a.stream_by) continue;
    if (k < n || holds == nullptr || holds < &s) holds = &r;
  }
  return holds;
}

bool has_lines(const Generator& g, int64_t first, int64_t lines) {
  const auto count = static_cast<int64_t>(std::min(g.count(kMany), kMany));
  return first >= g.path.start && first + lines <= g.path.start + count;
}

// Whether w2n takes lines that a receiver put in place, maybe among others, and that no w2n took
// since. Streams of others may have buffers in that place, before and after it.
bool takes_in_place(const std::vector<Step>& list, size_t n) {
  const Step& s = list[n];
  const int64_t first = s.a.path.start;
  const auto lines = static_cast<int64_t>(std::min(s.a.count(kMany), kMany));
  for (size_t k = n; k-- > 0;) {
    const Step& c = list[k];
    if ((c.tiles & s.tiles) == 0) continue;
    if (c.opcode == Opcode::wide_to_narrow && !c.a.streamed() && has_lines(c.a, first, 1)) {
      return false;
    }
    if (!receives(c)) continue;
    const int64_t at = first - c.a.path.start;
    if (c.a.streamed() && at >= 0 && at < 2 * c.a.stream_by) return false;
    if (!c.a.streamed() && has_lines(c.a, first, lines)) return true;
  }
  return false;
}

// A receiver beside a w2n streams into the lines that this one takes: both stand together, in
// either order, in public programs, and work at the same time. The second receiver brings weights.
bool streams_beside(const std::vector<Step>& list, size_t n) {
  constexpr size_t kBeside = 8;
  const Step& s = list[n];
  for (size_t k = n - std::min(n, kBeside); k < std::min(list.size(), n + kBeside + 1); ++k) {
    const Step& r = list[k];
    if (r.opcode == Opcode::ring_receive && r.a.streamed() && (r.tiles & s.tiles) != 0 &&
        r.a.path.start == s.a.path.start && r.idles == s.idles) {
      return true;
    }
  }
  return false;
}

// w2n, of data.
void link_data(std::vector<Step>& list, size_t n) {
  Step& s = list[n];
  // n2w and w2n one after the other: a copy inside of the tiles.
  s.from_tile = n != 0 && list[n - 1].opcode == Opcode::narrow_to_wide &&
                list[n - 1].b.path.start == s.a.path.start && list[n - 1].tiles == s.tiles;
  if (s.from_tile) s.copied = n - 1;
  if (s.a.streamed()) return;
  for (size_t k = 0; k < n; ++k) {
    const Step& w = list[k];
    if (w.opcode == Opcode::narrow_to_wide && !w.b.streamed() && w.b.path.start == s.a.path.start &&
        (w.tiles & s.tiles) != 0) {
      return;
    }
  }
  // Lines that the ring put there for it alone, whatever buffers others have in that place.
  const Step* own =
      receiver_before(list, n, [&](const Step& c) { return c.a.path.start == s.a.path.start; });
  if (own != nullptr && !own->a.streamed() && own->a.count(kMany) == s.a.count(kMany)) return;
  const Step* r = filled_for(list, n);
  if (r == nullptr || (!streams_beside(list, n) && takes_in_place(list, n))) return;
  s.header_start = r->a.path.start;
  s.a.stream_by = r->a.stream_by;
  s.a.switch_level = s.a.path.size;
}

// A tensor instruction whose weights come through a buffer that is filled again.
void link_weights(std::vector<Step>& list, size_t n) {
  Step& s = list[n];
  if ((s.nest->kind & kKindWeights) == 0) return;
  if (s.nest->channel_zero_points) {
    const Step* h = receiver_before(
        list, n, [&](const Step& c) { return in_header(c, s.zero_line) || over(c, s.zero_line); });
    if (h != nullptr && h->header.streamed) {
      s.zero_distance = h->header.count;
      s.header_start = h->header.start;
      const auto lines = static_cast<int64_t>(std::min(h->a.count(kMany), kMany));
      if (h->header.period != 0) s.zero_sets = static_cast<size_t>(lines / h->header.period);
    }
  }
  if (s.weight.streamed()) return;
  const Step* r = receiver_before(list, n, [&](const Step& c) {
    return c.a.path.start * 4 == s.weight.path.start || over(c, s.weight.path.start / 4);
  });
  if (r == nullptr || !r->a.streamed()) return;
  const uint64_t passes = passes_of(r->a, kMany);
  uint64_t outer = 1;
  for (size_t k = s.weight.path.size; k > 0; --k) {
    if (outer == passes) {
      s.weight.switch_level = k;
      s.weight.stream_by = r->a.stream_by * 4;
      return;
    }
    outer *= static_cast<uint64_t>(s.weight.path.level[k - 1].count);
    if (outer > passes) return;
  }
}

// The n2w that fills the buffer of a tile: after the tensor instruction, before tiles wait for
// their engines, else before it; not beyond another one of the tile.
size_t feeder_of(const std::vector<Step>& list, size_t n, size_t tile) {
  const Step& s = list[n];
  const auto feeds = [&](const Step& c) {
    return c.opcode == Opcode::narrow_to_wide && has_tile(c.tiles, tile) &&
           !has_tile(c.feeds, tile) && c.b.path.start * 4 == s.weight.path.start &&
           c.b.stream_by * 4 == s.weight.stream_by;
  };
  const auto is_other = [&](const Step& c) { return c.nest && has_tile(c.tiles, tile); };
  const auto together = [&](const Step& c) { return c.idles == s.idles && !is_other(c); };
  for (size_t k = n + 1; k < list.size() && together(list[k]); ++k) {
    if (feeds(list[k])) return k;
  }
  for (size_t k = n; k-- > 0 && !is_other(list[k]);) {
    if (feeds(list[k])) return k;
  }
  return kNone;
}

// A tensor instruction that takes what n2w brings from narrow memory at the same time.
void link_feeders(std::vector<Step>& list, size_t n) {
  Step& s = list[n];
  // Those that add biases have their unit matrix from the ring.
  constexpr uint32_t kPlain = 0x30;
  const bool multiplies = s.opcode == Opcode::tensor;
  if (multiplies && ((s.nest->kind & kKindWeights) != 0 || s.nest->kind == kPlain)) return;
  if (!s.weight.streamed()) return;
  s.feeders.assign(kTiles, kNone);
  for (size_t tile = 0; tile < kTiles; ++tile) {
    if (!has_tile(s.tiles, tile)) continue;
    s.feeders[tile] = feeder_of(list, n, tile);
    if (s.feeders[tile] != kNone) list[s.feeders[tile]].feeds |= 1U << tile;
  }
}

// Whether a w2n fills the two buffers of words in which another instruction begins to read.
bool loads(const Step& w, const Step& reader) {
  if (w.opcode != Opcode::wide_to_narrow || w.numbers || (w.tiles & reader.tiles) == 0)
    return false;
  if (w.b.stream_by * 4 != reader.a.stream_by) return false;
  const int64_t behind = reader.a.path.start / 4 - w.b.path.start;
  return behind >= 0 && behind < 2 * w.b.stream_by;
}

// The buffers of two bands may lie one over the other. An instruction before the w2n that fills the
// buffer which begins where it reads waits for that one, and takes no rest of the band before. The
// first one after such a w2n takes what that one brings.
void link_band(std::vector<Step>& list, size_t n) {
  Step& s = list[n];
  if (!s.a.streamed()) return;
  for (size_t k = n; k-- > 0;) {
    if (loads(list[k], s)) return;
    const bool reads = list[k].nest && (list[k].tiles & s.tiles) != 0;
    if (reads && list[k].a.stream_by == s.a.stream_by) break;
  }
  for (size_t k = n + 1; k < list.size(); ++k) {
    const Step& w = list[k];
    if (!loads(w, s)) continue;
    const int64_t behind = s.a.path.start / 4 - w.b.path.start;
    s.own_buffer = behind == 0;
    return;
  }
}

}  // namespace

void link_buffers(std::vector<Step>& list) {
  for (Step& s : list) {
    if (receives(s)) find_refilled(s);
  }
  link_inputs(list);
  for (size_t n = 0; n < list.size(); ++n) {
    if (list[n].nest && list[n].opcode != Opcode::tensor_resize) {
      link_weights(list, n);
      link_feeders(list, n);
      link_band(list, n);
    }
    if (list[n].opcode != Opcode::wide_to_narrow) continue;
    if (list[n].numbers) {
      link_numbers(list, n);
    } else {
      link_data(list, n);
    }
  }
}

}  // namespace edgetwin::edgetpu::machine
