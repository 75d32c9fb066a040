// The passes of buffers that a tensor instruction reads.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {

void zero_points(const TensorIteration& w, Tile& t, int lanes, bool next,
                 std::array<int32_t, kMostLanes>& z) {
  if (!w.nest.channel_zero_points) {
    z.fill(w.nest.weight_zero_point);
    return;
  }
  const std::byte* line = t.wide.data() + w.s.zero_line * kWideLineBytes;
  if (w.s.zero_distance != 0 && next) {
    Stream* stream = t.header_streams.find(
        w.s.header_start != kNoPlace ? w.s.header_start : w.s.zero_line, w.s.zero_distance);
    if (stream != nullptr && stream->waiting(Reader::zero_points, w.s.zero_line) != 0) {
      const ByteSpan pass = *stream->next(Reader::zero_points, w.s.zero_line);
      const auto at =
          static_cast<size_t>(stream->offset(w.s.zero_line)) * static_cast<size_t>(kWideLineBytes);
      std::memcpy(t.wide.data() + w.s.zero_line * kWideLineBytes, pass.data() + at,
                  static_cast<size_t>(kWideLineBytes));
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    std::memcpy(&z[static_cast<size_t>(lane)], line + static_cast<size_t>(lane) * 4, 4);
  }
}

namespace {

Stream* input_stream(const TensorIteration& w, Tile& t) {
  const int64_t place = w.s.a.path.start / 4;
  const int64_t by = w.s.a.stream_by / 4;
  return w.s.own_buffer ? t.narrow_streams.find(place, by) : t.narrow_streams.holding(place, by);
}

}  // namespace

void commit_input(const TensorIteration& w, Tile& t, const Address& place) {
  Stream* stream = input_stream(w, t);
  if (stream == nullptr || stream->waiting(Reader::once, w.s.a.path.start / 4) == 0) return;
  const ByteSpan pass = *stream->next(Reader::once, w.s.a.path.start / 4);
  const auto offset = stream->offset(w.s.a.path.start / 4) * 4;
  // Bytes may be read from the middle of a word on.
  const int64_t base = place.at / 4 * 4 - offset;
  if (pass.empty() || base < 0 || base + static_cast<int64_t>(pass.size()) > kNarrowBytes) return;
  std::memcpy(t.narrow.data() + base, pass.data(), pass.size());
}

void commit_weights(const TensorIteration& w, size_t tile, Tile& t, const Address& place) {
  const int64_t base = place.at * kQuarterBytes;
  if (const Step* feeder = w.feeder(tile)) {
    const Bytes& lines = feeder->fed[tile];
    const auto size = static_cast<size_t>(w.s.weight.stream_by * kQuarterBytes);
    const size_t first = std::min(lines.size(), place.pass * size);
    const size_t n = std::min(lines.size() - first, size);
    if (base + static_cast<int64_t>(n) > kWideBytes) return;
    std::memcpy(t.wide.data() + base, lines.data() + first, n);
    return;
  }
  Stream* stream = t.wide_streams.find(w.s.weight.path.start / 4, w.s.weight.stream_by / 4);
  if (stream == nullptr) return;
  const ByteSpan pass = *stream->next(Reader::once, w.s.weight.path.start / 4);
  if (base + static_cast<int64_t>(pass.size()) > kWideBytes) return;
  std::memcpy(t.wide.data() + base, pass.data(), pass.size());
}

bool ready(const TensorIteration& w, size_t tile, Tile& t) {
  if (w.streamed_input(tile)) {
    Stream* stream = input_stream(w, t);
    if (stream == nullptr) return false;
    if (has_tile(w.s.begins, tile) && !stream->to_group(Reader::once, w.s.a.path.start / 4)) {
      return false;
    }
    if (stream->waiting(Reader::once, w.s.a.path.start / 4) < w.last_input_pass() + size_t{1}) {
      return false;
    }
  }
  if (const Step* feeder = w.feeder(tile)) return feeder->done;
  if (w.streamed_weights()) {
    Stream* stream = t.wide_streams.find(w.s.weight.path.start / 4, w.s.weight.stream_by / 4);
    if (stream == nullptr || stream->waiting(Reader::once, w.s.weight.path.start / 4) <
                                 w.last_weight_pass() + size_t{1}) {
      return false;
    }
  }
  return true;
}

}  // namespace edgetwin::edgetpu::machine
