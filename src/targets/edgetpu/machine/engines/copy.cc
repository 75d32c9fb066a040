// Between the narrow and the wide memory of a tile.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "targets/edgetpu/machine/engines/packer.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kLine = static_cast<size_t>(kWideLineBytes);
constexpr size_t kLineWords = kPackedWords;
constexpr int64_t kScaleBank = 0;

void copy_words(const PlaceRow& row, int64_t first, size_t count, const std::byte* narrow,
                std::byte* to) {
  const std::byte* from = narrow + (row.first + first * row.step) * 4;
  if (row.step == 1) {
    std::memcpy(to, from, count * 4);
    return;
  }
  for (size_t n = 0; n < count; ++n, from += row.step * 4) std::memcpy(to + n * 4, from, 4);
}

// The words of narrow memory as lines, a word for each lane.
Bytes pack_words(const Tile& tile, const Step& s, size_t lines) {
  Bytes data(lines * kLine);
  size_t line = 0;
  size_t word = 0;
  uint32_t at_pass = 0;
  unroll_rows(words_by_line(s), [&](const PlaceRow& row) {
    for (int64_t n = 0; n < row.count;) {
      if (row.pass != at_pass || word == kLineWords) {
        ++line;
        word = 0;
      }
      at_pass = row.pass;
      const size_t count = std::min(static_cast<size_t>(row.count - n), kLineWords - word);
      std::byte* to = data.data() + line * kLine + word * 4;
      if (line < lines) copy_words(row, n, count, tile.narrow.data(), to);
      word += count;
      n += static_cast<int64_t>(count);
    }
  });
  return data;
}

// The same, and other layouts of lines.
Bytes pack(const Tile& tile, const Step& s, size_t lines) {
  if (s.planes == 1) return pack_words(tile, s, lines);
  Packer packer(s, lines);
  const Generator words = words_by_line(s);
  const std::vector<size_t> size = words_of_passes(words);
  const auto longest = static_cast<size_t>(s.a.path.level[0].count);
  const auto full = std::max<size_t>(1, words.pass_places() / longest);
  size_t line = 0;
  size_t word = 0;
  uint32_t at_pass = 0;
  unroll(words, [&](int64_t at, uint32_t pass) {
    if (pass != at_pass || word == kLineWords) {
      ++line;
      word = 0;
    }
    at_pass = pass;
    packer.put(line, word++, std::max<size_t>(1, size[pass] / full), tile.narrow.data() + at * 4);
  });
  return packer.take();
}

// Copies inside of a tile may use a part of each line only: those words that n2w put there,
// together. Lines after those of n2w are whole.
SentBytes without_gaps(const SentBytes& lines, const std::vector<size_t>& words_of) {
  JoinedBytes data(lines->size());
  size_t at = 0;
  for (const size_t words : words_of) {
    if (at >= lines->size()) break;
    data.add(lines.part(at, words * 4));
    at += kLine;
  }
  if (at < lines->size()) data.add(lines.part(at, lines->size() - at));
  return data.take();
}

// The buffer that a copy to narrow memory reads; null: nothing was put into it yet.
Stream* buffer_of(const Step& s, Tile& t) {
  if (s.from_tile) return t.leaving_streams.find(s.a.path.start, s.a.stream_by);
  if (s.header_start == kNoPlace) return t.wide_streams.find(s.a.path.start, s.a.stream_by);
  // Of a header, or of lines in the middle of what the ring brings.
  Streams& streams = s.numbers ? t.header_streams : t.wide_streams;
  return streams.find(s.header_start, s.a.stream_by);
}

// What a copy to narrow memory reads, the lines one after the other.
Result<Progress> gather(Core& core, Step& s, Tile& t, SentBytes& data) {
  const uint64_t lines = s.a.count(core.limits.one);
  EDGETWIN_TRY(core.charge_places(lines, s));
  if (s.a.streamed()) {
    Stream* stream = buffer_of(s, t);
    const uint64_t pass = s.a.pass_places();
    const uint64_t passes = (lines + pass - 1) / pass;
    if (stream == nullptr || stream->waiting(Reader::once, s.a.path.start) < passes) {
      return Progress::waits;
    }
    const auto first = static_cast<size_t>(stream->offset(s.a.path.start)) * kLine;
    JoinedBytes joined(lines * kLine);
    for (uint64_t n = 0; n < passes; ++n) {
      const SentBytes& bytes = stream->next(Reader::once, s.a.path.start);
      const size_t end = std::min(bytes->size(), first + pass * kLine);
      if (first < end) joined.add(bytes.part(first, end - first));
    }
    data = joined.take();
    return Progress::done;
  }
  EDGETWIN_TRY(core.check(s.a, 1, kWideLines, s));
  data = std::make_shared<const Bytes>(lines_of(t, s.a, lines));
  return Progress::done;
}

// Scales or biases: from each line as many as two for each unit of 8 bytes. The second level goes
// from the scales of a set to its biases where there are both.
// Errors: chip_unknown where a scale is not a finite number.
Status take_numbers(const Core& core, const Step& s, ByteSpan data, Tile& t) {
  const Traversal& to = s.b.path;
  const auto banks = static_cast<size_t>(to.level[1].count);
  ChannelNumbers scales;
  scales.channels = std::min<size_t>(2 * static_cast<size_t>(to.level[0].count), kLineWords);
  ChannelNumbers biases = scales;
  for (size_t n = 0; n < data.size() / kLine; ++n) {
    const int64_t bank = to.start + to.level[1].net * static_cast<int64_t>(n % banks);
    ChannelNumbers& numbers = bank == kScaleBank ? scales : biases;
    const size_t end = numbers.bits.size();
    numbers.bits.resize(end + numbers.channels);
    std::memcpy(numbers.bits.data() + end, data.data() + n * kLine, numbers.channels * 4);
    ++numbers.count;
  }
  const auto finite = [](uint32_t bits) { return std::isfinite(std::bit_cast<float>(bits)); };
  if (!std::ranges::all_of(scales.bits, finite)) {
    return core.error(ErrorCode::chip_unknown, "a channel's scale is not a finite number", s);
  }
  if (scales.count != 0) t.scales = std::move(scales);
  if (biases.count != 0) t.biases = std::move(biases);
  return Ok{};
}

// Words at their places in narrow memory, as far as there are such.
void scatter_in_place(const Step& s, ByteSpan data, Tile& t) {
  const size_t words = data.size() / 4;
  auto n = static_cast<size_t>(s.skipped);
  unroll_rows(s.b, [&](const PlaceRow& row) {
    const auto count = static_cast<size_t>(row.count);
    const size_t there = n < words ? std::min(count, words - n) : 0;
    std::byte* to = t.narrow.data() + row.first * 4;
    const std::byte* from = data.data() + n * 4;
    if (row.step == 1) {
      if (there != 0) std::memcpy(to, from, there * 4);
    } else {
      for (size_t k = 0; k < there; ++k, to += row.step * 4) std::memcpy(to, from + k * 4, 4);
    }
    n += count;
  });
}

// The words that are left after those dropped first, to their places or as passes.
Status scatter(Core& core, const Step& s, const SentBytes& data, Tile& t) {
  if (in_place(s)) {
    scatter_in_place(s, *data, t);
    return Ok{};
  }
  Stream& stream = t.narrow_streams.at(s.b.path.start, s.b.stream_by);
  stream.begin_group();
  EDGETWIN_TRY(core.charge_memory(data->size(), s));
  stream.push(shared_passes(passes_of_words(s, data)));
  return Ok{};
}

}  // namespace

Bytes lines_of(const Tile& t, const Generator& g, uint64_t count) {
  Bytes data;
  data.reserve(count * kLine);
  unroll_rows(g, [&](const PlaceRow& row) {
    const int64_t together = row.step == 1 ? row.count : 1;
    for (int64_t n = 0; n < row.count; n += together) {
      append(data, {t.wide.data() + (row.first + n * row.step) * kWideLineBytes,
                    static_cast<size_t>(together) * kLine});
    }
  });
  return data;
}

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
    Bytes data = pack(t, s, lines);
    if (has_tile(s.feeds, n)) {
      s.fed.resize(kTiles);
      s.fed[n] = std::move(data);
      continue;
    }
    if (s.b.streamed()) {
      t.leaving_streams.at(s.b.path.start, s.b.stream_by)
          .push(shared_passes(passes_of_lines(std::move(data), pass * kLine)));
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
  if (s.a.streamed()) {
    for (size_t n = 0; n < kTiles; ++n) {
      if (!has_tile(s.tiles, n)) continue;
      Stream* stream = buffer_of(s, core.tiles[n]);
      const uint64_t pass = s.a.pass_places();
      const uint64_t passes = (s.a.count(core.limits.one) + pass - 1) / pass;
      if (stream == nullptr || stream->waiting(Reader::once, s.a.path.start) < passes) {
        return Progress::waits;
      }
    }
  }
  const std::vector<size_t> words =
      s.from_tile ? words_of_lines(core.steps.list[s.copied]) : std::vector<size_t>();
  for (size_t n = 0; n < kTiles; ++n) {
    if (!has_tile(s.tiles, n)) continue;
    Tile& t = core.tiles[n];
    SentBytes bytes;
    EDGETWIN_TRY_ASSIGN(const Progress p, gather(core, s, t, bytes));
    if (p == Progress::waits) return p;
    if (s.numbers) {
      EDGETWIN_TRY(take_numbers(core, s, *bytes, t));
    } else {
      EDGETWIN_TRY(core.charge_places(s.b.count(core.limits.one), s));
      if (s.from_tile) bytes = without_gaps(bytes, words);
      EDGETWIN_TRY(scatter(core, s, bytes, t));
    }
  }
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
