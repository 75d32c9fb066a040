// Between the narrow and the wide memory of a tile.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/core.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kLine = static_cast<size_t>(kWideLineBytes);
constexpr size_t kLineWords = kLine / 4;
constexpr int64_t kBiasBank = 64;  // scales lie before

// Words of a pixel lie together in one quarter of a line when pixels are read before the words of
// a pixel: up to four pixels share a line.
bool by_quarters(const Generator& g) {
  const Traversal& t = g.path;
  return t.level[0].count > 1 && t.level[0].count <= 4 && t.level[1].count > 1 &&
         t.level[0].net != 1 && t.level[1].net == 1 && t.level[1].count <= 16;
}

// The words of narrow memory as lines.
Bytes pack(const Tile& tile, const Generator& a, size_t words, size_t lines) {
  Bytes data(lines * kLine);
  const bool quarters = by_quarters(a);
  const auto pixels = static_cast<size_t>(a.path.level[0].count);
  const auto per_pixel = static_cast<size_t>(a.path.level[1].count);
  const size_t in_line = quarters                           ? pixels * per_pixel
                         : words > kLineWords * (lines - 1) ? kLineWords
                                                            : std::max<size_t>(1, words / lines);
  size_t n = 0;
  unroll(a, [&](int64_t word, uint32_t /*pass*/) {
    const size_t line = n / in_line;
    const size_t k = n % in_line;
    const size_t place = quarters ? (k % pixels) * 16 + k / pixels : k;
    ++n;
    if (line < lines) {
      std::memcpy(data.data() + line * kLine + place * 4, tile.narrow.data() + word * 4, 4);
    }
  });
  return data;
}

// Copies inside of a tile may use a part of each line only: those words that are used, together.
Bytes without_gaps(const Bytes& lines, uint64_t words) {
  const uint64_t n = lines.size() / kLine;
  if (n == 0 || words > kLineWords * (n - 1)) return lines;
  const size_t used = static_cast<size_t>(words / n) * 4;
  Bytes data;
  for (size_t at = 0; at < lines.size(); at += kLine) {
    data.insert(data.end(), lines.begin() + static_cast<std::ptrdiff_t>(at),
                lines.begin() + static_cast<std::ptrdiff_t>(at + used));
  }
  return data;
}

// What a copy to narrow memory reads, the lines one after the other.
Result<Progress> gather(Core& core, Step& s, Tile& t, Bytes& data) {
  const uint64_t lines = s.a.count(core.limits.one);
  EDGETWIN_TRY(core.charge_places(lines, s));
  if (s.a.streamed()) {
    Streams& streams = s.from_tile ? t.leaving_streams : t.wide_streams;
    Stream* stream = streams.find(s.a.path.start, s.a.stream_by, s.a.stream_start);
    const uint64_t pass = s.a.pass_places();
    const uint64_t passes = (lines + pass - 1) / pass;
    if (stream == nullptr || stream->waiting(Reader::wide_to_narrow, s.a.path.start) < passes) {
      return Progress::waits;
    }
    const auto first = static_cast<size_t>(stream->offset(s.a.path.start)) * kLine;
    for (uint64_t n = 0; n < passes; ++n) {
      const Bytes& bytes = stream->next(Reader::wide_to_narrow, s.a.path.start);
      const size_t end = std::min(bytes.size(), first + pass * kLine);
      data.insert(data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(first, end)),
                  bytes.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return Progress::done;
  }
  EDGETWIN_TRY(core.check(s.a, 1, kWideLines, s));
  unroll(s.a, [&](int64_t line, uint32_t /*pass*/) {
    const auto* from = t.wide.data() + line * kWideLineBytes;
    data.insert(data.end(), from, from + kLine);
  });
  return Progress::done;
}

// Scales or biases: from each line as many as two for each unit of 8 bytes, to the bank that the
// place of the line's first unit is in.
void take_numbers(const Step& s, const Bytes& data, Tile& t) {
  const size_t lines = data.size() / kLine;
  const auto units = static_cast<size_t>(s.b.path.level[0].count);
  const size_t channels = std::min(2 * units, kLineWords);
  bool fresh[2] = {true, true};
  size_t n = 0;
  unroll(s.b, [&](int64_t place, uint32_t /*pass*/) {
    const size_t line = n / units;
    if (n++ % units != 0 || line >= lines) return;
    const bool biases = place >= kBiasBank;
    ChannelNumbers& numbers = biases ? t.biases : t.scales;
    if (fresh[biases ? 1 : 0]) numbers = {channels, 0, {}};
    fresh[biases ? 1 : 0] = false;
    ++numbers.count;
    numbers.bits.resize(channels * numbers.count);
    std::memcpy(numbers.bits.data() + channels * (numbers.count - 1), data.data() + line * kLine,
                channels * 4);
  });
}

// The words that are left after those dropped first, to their places or as passes.
Status scatter(Core& core, const Step& s, const Bytes& data, Tile& t) {
  const size_t words = data.size() / 4;
  auto n = static_cast<size_t>(s.skipped);
  if (in_place(s)) {
    unroll(s.b, [&](int64_t word, uint32_t /*pass*/) {
      if (n < words) std::memcpy(t.narrow.data() + word * 4, data.data() + n * 4, 4);
      ++n;
    });
    return Ok{};
  }
  Stream& stream = t.narrow_streams.at(s.b.path.start, s.b.stream_by);
  const auto by = static_cast<size_t>(s.b.stream_by);
  Bytes pass_data;
  uint32_t at_pass = 0;
  const auto flush = [&] {
    stream.push(std::make_shared<const Bytes>(std::move(pass_data)));
    pass_data = {};
  };
  EDGETWIN_TRY(core.charge_memory(data.size(), s));
  unroll(s.b, [&](int64_t word, uint32_t pass) {
    if (pass != at_pass) flush();
    at_pass = pass;
    const int64_t place = word - s.b.path.start - ((pass & 1U) != 0 ? s.b.switch_by : 0);
    if (n < words && place >= 0 && static_cast<size_t>(place) < by) {
      if (pass_data.size() < (static_cast<size_t>(place) + 1) * 4) {
        pass_data.resize((static_cast<size_t>(place) + 1) * 4);
      }
      std::memcpy(pass_data.data() + place * 4, data.data() + n * 4, 4);
    }
    ++n;
  });
  flush();
  return Ok{};
}

}  // namespace

bool in_place(const Step& s) {
  return !s.b.streamed() || s.b.count(kWideBytes) <= s.b.pass_places();
}

Result<Progress> run_narrow_to_wide(Core& core, Step& s) {
  EDGETWIN_TRY(core.check(s.a, 1, kNarrowWords, s));
  EDGETWIN_TRY(core.check(s.b, 1, kWideLines, s));
  const uint64_t words = s.a.count(core.limits.one);
  const uint64_t lines = s.b.count(core.limits.one);
  const auto pass = static_cast<size_t>(s.b.pass_places());
  for (size_t n = 0; n < kTiles; ++n) {
    if (!has_tile(s.tiles, n)) continue;
    Tile& t = core.tiles[n];
    EDGETWIN_TRY(core.charge_places(words, s));
    EDGETWIN_TRY(core.charge_memory(lines * kLine, s));
    const Bytes data = pack(t, s.a, words, lines);
    if (s.b.streamed()) {
      Stream& stream = t.leaving_streams.at(s.b.path.start, s.b.stream_by);
      for (size_t at = 0; at < data.size(); at += pass * kLine) {
        const size_t end = std::min(data.size(), at + pass * kLine);
        stream.push(std::make_shared<const Bytes>(data.begin() + static_cast<std::ptrdiff_t>(at),
                                                  data.begin() + static_cast<std::ptrdiff_t>(end)));
      }
      continue;
    }
    size_t line = 0;
    unroll(s.b, [&](int64_t to, uint32_t /*pass*/) {
      std::memcpy(t.wide.data() + to * kWideLineBytes, data.data() + line++ * kLine, kLine);
    });
  }
  return Progress::done;
}

Result<Progress> run_wide_to_narrow(Core& core, Step& s) {
  if (!s.numbers) EDGETWIN_TRY(core.check(s.b, 1, kNarrowWords, s));
  // All tiles or none: a tile that waits must not leave others ahead.
  std::vector<Bytes> data(kTiles);
  if (s.a.streamed()) {
    for (size_t n = 0; n < kTiles; ++n) {
      if (!has_tile(s.tiles, n)) continue;
      Streams& streams = s.from_tile ? core.tiles[n].leaving_streams : core.tiles[n].wide_streams;
      Stream* stream = streams.find(s.a.path.start, s.a.stream_by, s.a.stream_start);
      const uint64_t pass = s.a.pass_places();
      const uint64_t passes = (s.a.count(core.limits.one) + pass - 1) / pass;
      if (stream == nullptr || stream->waiting(Reader::wide_to_narrow, s.a.path.start) < passes) {
        return Progress::waits;
      }
    }
  }
  for (size_t n = 0; n < kTiles; ++n) {
    if (!has_tile(s.tiles, n)) continue;
    Tile& t = core.tiles[n];
    Bytes bytes;
    EDGETWIN_TRY_ASSIGN(const Progress p, gather(core, s, t, bytes));
    if (p == Progress::waits) return p;
    if (s.numbers) {
      take_numbers(s, bytes, t);
    } else {
      EDGETWIN_TRY(core.charge_places(s.b.count(core.limits.one), s));
      if (s.from_tile) bytes = without_gaps(bytes, s.b.count(core.limits.one));
      EDGETWIN_TRY(scatter(core, s, bytes, t));
    }
  }
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
