// Bilinear resize. The places of the four pixels do not come from the traversal, whose levels of
// columns and rows stand still, but from two positions that count in 1/128 of a pixel: whole pixels
// move the address, the rest is the weight of the second pixel.
#include <algorithm>
#include <array>
#include <cstring>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr int64_t kOne = 128;

// Where an axis is read: position = start + step * index of a level.
struct Axis {
  size_t level = 0;
  int64_t start = 0, step = 0, pitch = 0;
  int64_t position(const std::array<int64_t, kLoopLevels>& index) const {
    return start + step * index[level];
  }
};

struct AxisFields {
  FieldName level, start, step, pitch;
};
constexpr AxisFields kColumns{"columns.level", "columns.start", "columns.step", "columns.pitch"};
constexpr AxisFields kRows{"rows.level", "rows.start", "rows.step", "rows.pitch"};

Axis axis_of(const Instruction& i, const AxisFields& f) {
  const auto number = [&](FieldName field) { return static_cast<int64_t>(i.get(field)); };
  return {static_cast<size_t>(number(f.level)), number(f.start), number(f.step), number(f.pitch)};
}

struct Resize {
  const Step& s;
  Axis x, y;

  static constexpr size_t kTaps = 2;  // levels of the pixels that are mixed
  const Level& in(size_t k) const { return s.a.path.level[k]; }

  bool known() const {
    const auto tap = [&](size_t k, const Axis& a) {
      return in(k).count == 2 && in(k).net == a.pitch && a.level >= kTaps && in(a.level).net == 0;
    };
    return tap(0, x) && tap(1, y) && x.level != y.level && s.lanes == 4 &&
           s.nest->multiplier == 0x1p-14F && !s.nest->function && !s.a.streamed() &&
           s.b.path.level[0].count == 1;
  }
  // Lowest and highest byte that is read.
  std::pair<int64_t, int64_t> range() const {
    int64_t high = s.a.path.highest();
    for (const Axis& a : {x, y}) {
      high += (a.start + a.step * (in(a.level).count - 1)) / kOne * a.pitch;
    }
    return {s.a.path.lowest(), high + 3};
  }
};

// The word of mixed pixels for one output.
std::array<uint8_t, 4> mix(const Resize& r, const Tile& t,
                           const std::array<int64_t, kLoopLevels>& index,
                           const numerics::edgetpu::Tail<uint8_t>& tail,
                           const std::function<void(int64_t)>& read) {
  const int64_t px = r.x.position(index);
  const int64_t py = r.y.position(index);
  int64_t at = r.s.a.path.start + px / kOne * r.x.pitch + py / kOne * r.y.pitch;
  for (size_t k = Resize::kTaps; k < r.s.a.path.size; ++k) at += r.in(k).net * index[k];
  const std::array<int64_t, 2> wx{kOne - px % kOne, px % kOne};
  const std::array<int64_t, 2> wy{kOne - py % kOne, py % kOne};
  if (read) {
    for (size_t tap = 0; tap < 4; ++tap) {
      read(at + static_cast<int64_t>(tap % 2) * r.x.pitch +
           static_cast<int64_t>(tap / 2) * r.y.pitch);
    }
  }
  std::array<uint8_t, 4> word{};
  for (size_t lane = 0; lane < 4; ++lane) {
    int64_t sum = 0;
    for (size_t tap = 0; tap < 4; ++tap) {
      const int64_t from = at + static_cast<int64_t>(tap % 2) * r.x.pitch +
                           static_cast<int64_t>(tap / 2) * r.y.pitch;
      sum += static_cast<int64_t>(t.narrow[static_cast<size_t>(from) + lane]) * wx[tap % 2] *
             wy[tap / 2];
    }
    word[lane] = tail(sum, 0x1p-14F);
  }
  return word;
}

Resize decode(const Step& s) {
  const Instruction i = s.instruction();
  return {s, axis_of(i, kColumns), axis_of(i, kRows)};
}

}  // namespace

Status check_resize(Core& core, const Step& s) {
  const Resize r = decode(s);
  const uint64_t words = s.b.count(core.limits.one);
  EDGETWIN_TRY(core.charge_places(words, s));
  if (!r.known() || s.a.count(core.limits.one) != 4 * words) {
    return core.error(ErrorCode::chip_unknown, "this form of the resize is not known", s)
        .detail("columns by level " + std::to_string(r.x.level) + ", rows by level " +
                std::to_string(r.y.level));
  }
  const auto [low, high] = r.range();
  if (low < 0 || high >= kNarrowBytes) {
    return core.error(ErrorCode::chip_address, "an address is outside of the memory", s)
        .detail("from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return core.check(s.b, 4, kNarrowBytes, s);
}

Result<Progress> run_resize(Core& core, Step& s) {
  EDGETWIN_TRY(check_resize(core, s));
  const uint64_t words = s.b.count(core.limits.one);
  for (size_t k = 0; k < kTiles; ++k) {
    if (!has_tile(s.tiles, k)) continue;
    EDGETWIN_TRY(core.charge_places(words, s));
    resize_words(s, core.tiles[k], 0, words);
  }
  return Progress::done;
}

void resize_words(const Step& s, Tile& t, uint64_t first, uint64_t end,
                  const std::function<void(int64_t)>& read) {
  const Resize r = decode(s);
  const std::vector<Address> out = addresses_of(s.b);
  const numerics::edgetpu::Tail<uint8_t> tail{};
  std::array<int64_t, kLoopLevels> index{};
  for (uint64_t word = 0; word < std::min<uint64_t>(end, out.size()); ++word) {
    if (word >= first) {
      const std::array<uint8_t, 4> mixed = mix(r, t, index, tail, read);
      std::memcpy(t.narrow.data() + out[word].at, mixed.data(), 4);
    }
    for (size_t n = Resize::kTaps; n < s.a.path.size; ++n) {
      if (++index[n] < r.in(n).count) break;
      index[n] = 0;
    }
  }
}

}  // namespace edgetwin::edgetpu::machine
