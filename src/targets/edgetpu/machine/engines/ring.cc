// Queues from and to the host, and the ring between the tiles.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr size_t kRingLine = static_cast<size_t>(kWideLineBytes);

SharedBytes shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

// Lines one after the other from what the senders sent.
class Lines {
 public:
  Lines(const std::vector<Step>& list, const std::vector<LineSource>& sources)
      : list_(list), sources_(sources) {}
  // What lies after a sender's last byte stays as it is.
  void next(std::byte* to) {
    if (at_ >= sources_.size()) return;
    const LineSource& from = sources_[at_];
    const Step& sender = list_[from.step];
    const auto size = static_cast<size_t>(sender.line_bytes);
    const size_t begin = static_cast<size_t>(from.first + line_) * size;
    if (++line_ == from.lines) {
      line_ = 0;
      ++at_;
    }
    if (begin >= sender.data->size()) return;
    std::memcpy(to, sender.data->data() + begin, std::min(size, sender.data->size() - begin));
  }

 private:
  const std::vector<Step>& list_;
  const std::vector<LineSource>& sources_;
  size_t at_ = 0;
  uint64_t line_ = 0;
};

// What a ring receiver puts where in tiles that get the same.
struct Placement {
  std::vector<std::pair<int64_t, SharedBytes>> direct;  // line and bytes
  std::vector<SharedBytes> header_passes, passes;
};

// Whether the senders sent all lines that the receiver takes.
bool all_sent(const std::vector<Step>& list, const std::vector<LineSource>& sources) {
  return std::all_of(sources.begin(), sources.end(), [&](const LineSource& from) {
    const Step& sender = list[from.step];
    const auto size = static_cast<uint64_t>(sender.line_bytes);
    return from.first + from.lines <= (sender.data->size() + size - 1) / size;
  });
}

Placement place(const Step& s, const std::vector<LineSource>& sources,
                const std::vector<Step>& list) {
  Placement p;
  Lines lines(list, sources);
  const auto take = [&](int64_t count) {
    Bytes bytes(static_cast<size_t>(count) * kRingLine);
    for (int64_t n = 0; n < count; ++n) {
      lines.next(bytes.data() + static_cast<size_t>(n) * kRingLine);
    }
    return shared(std::move(bytes));
  };
  const HeaderLines& h = s.header;
  const auto header = [&] {
    if (h.count == 0) return;
    if (h.streamed) {
      p.header_passes.push_back(take(h.count));
    } else {
      p.direct.emplace_back(h.start, take(h.count));
    }
  };
  int64_t n = 0;
  const auto pass_size = static_cast<int64_t>(s.a.pass_places());
  unroll(s.a, [&](int64_t line, uint32_t /*pass*/) {
    if (n == 0 || (h.period != 0 && n % h.period == 0)) header();
    if (!s.a.streamed()) {
      p.direct.emplace_back(line, take(1));
    } else if (n % pass_size == 0) {
      p.passes.push_back(take(pass_size));
    }
    ++n;
  });
  return p;
}

}  // namespace

Result<Progress> run_param(Core& core, Step& s) {
  if (s.from == ParamSource::returned) {
    const Step& outfeed = core.steps.list[s.source];
    const Step& sender = core.steps.list[outfeed.source];
    if (!sender.done) return Progress::waits;
    s.data = sender.data;
    return Progress::done;
  }
  ByteSpan from = core.parameters;
  if (s.from == ParamSource::input) {
    if (s.infeed == kNone || s.infeed >= core.inputs.size()) {
      return core.error(ErrorCode::chip_stream, "input is taken that no transfer brings", s);
    }
    EDGETWIN_TRY_ASSIGN(const bool there, bring_back(core, s));
    if (!there) return Progress::waits;
    from = core.inputs[s.infeed];
  }
  if (s.offset >= from.size()) {
    return core.error(ErrorCode::chip_stream, "bytes are taken that the host does not send", s)
        .detail("first byte " + std::to_string(s.offset) + ", sent are " +
                std::to_string(from.size()));
  }
  // How many follow is fixed by the receiver.
  const uint64_t most =
      std::min<uint64_t>(from.size() - s.offset, s.taken * static_cast<uint64_t>(s.line_bytes));
  EDGETWIN_TRY(core.charge_memory(most, s));
  const ByteSpan part = from.subspan(s.offset, most);
  // Inputs change when what the program sent comes back.
  const bool stays = s.from != ParamSource::input;
  s.data = stays ? SentBytes::part_of(part) : shared(Bytes(part.begin(), part.end()));
  return Progress::done;
}

Result<Progress> run_ring_send(Core& core, Step& s) {
  size_t tile = 0;
  while (tile < kTiles && !has_tile(s.tiles, tile)) ++tile;
  if ((s.tiles >> tile) != 1U) {
    return core.error(ErrorCode::chip_tiles, "several tiles send to the ring at once", s);
  }
  Tile& t = core.tiles[tile];
  const uint64_t lines = s.a.count(core.limits.one);
  EDGETWIN_TRY(core.charge_places(lines, s));
  EDGETWIN_TRY(core.charge_memory(lines * kRingLine, s));
  Bytes data;
  if (s.a.streamed()) {
    Stream* stream = t.leaving_streams.find(s.a.path.start, s.a.stream_by);
    const uint64_t pass = s.a.pass_places();
    const uint64_t passes = (lines + pass - 1) / pass;
    if (stream == nullptr || stream->waiting(Reader::once, s.a.path.start) < passes) {
      return Progress::waits;
    }
    for (uint64_t n = 0; n < passes; ++n) {
      const Bytes& bytes = stream->next(Reader::once, s.a.path.start);
      append(data, bytes);
    }
    data.resize(lines * kRingLine);
  } else {
    EDGETWIN_TRY(core.check(s.a, 1, kWideLines, s));
    unroll(s.a, [&](int64_t line, uint32_t /*pass*/) {
      append(data, {t.wide.data() + line * kWideLineBytes, kRingLine});
    });
  }
  s.data = shared(std::move(data));
  return Progress::done;
}

namespace {

void put_lines(Core& core, const Step& s, uint32_t tiles, const Placement& p) {
  for (size_t n = 0; n < kTiles; ++n) {
    if (!has_tile(tiles, n)) continue;
    Tile& t = core.tiles[n];
    for (const auto& [line, bytes] : p.direct) {
      std::memcpy(t.wide.data() + line * kWideLineBytes, bytes->data(), bytes->size());
    }
    if (!p.header_passes.empty()) {
      Stream& stream = t.header_streams.at(s.header.start, s.header.count);
      for (const SharedBytes& pass : p.header_passes) stream.push(pass);
    }
    if (!p.passes.empty()) {
      Stream& stream = t.wide_streams.at(s.a.path.start, s.a.stream_by);
      for (const SharedBytes& pass : p.passes) stream.push(pass);
    }
  }
}

}  // namespace

Result<Progress> run_ring_receive(Core& core, Step& s) {
  const std::vector<Step>& list = core.steps.list;
  for (const ReceivedLines& r : s.received) {
    for (const LineSource& from : r.sources) {
      if (!list[from.step].done) return Progress::waits;
    }
  }
  const uint64_t lines = s.lines_received(core.limits.one);
  EDGETWIN_TRY(core.charge_places(lines, s));
  EDGETWIN_TRY(core.charge_memory(lines * kRingLine, s));
  EDGETWIN_TRY(core.check(s.a, 1, kWideLines, s));
  if (s.header.start + (s.header.streamed ? 2 : 1) * s.header.count > kWideLines) {
    return core.error(ErrorCode::chip_address, "lines after the end of wide memory", s)
        .detail("lines " + std::to_string(s.header.start) + " and " +
                std::to_string(s.header.count) + " more; there are " + std::to_string(kWideLines));
  }
  for (const ReceivedLines& r : s.received) {
    const Step& sender = list[r.sources.back().step];
    const bool padded = sender.opcode == Opcode::param && sender.from == ParamSource::input;
    if (!padded && !all_sent(list, r.sources)) {
      return core.error(ErrorCode::chip_stream, "a ring receiver takes more lines than are sent", s)
          .detail("sent are " + std::to_string(sender.data->size()) + " bytes, lines have " +
                  std::to_string(sender.line_bytes));
    }
    put_lines(core, s, r.tiles, place(s, r.sources, list));
  }
  return Progress::done;
}

Result<Progress> run_outfeed(Core& core, Step& s) {
  const Step& sender = core.steps.list[s.source];
  if (!sender.done) return Progress::waits;
  if (!s.to_host && !s.to_memory) return Progress::done;
  if (s.skipped_bytes + s.length > sender.data->size()) {
    return core.error(ErrorCode::chip_stream, "an outfeed takes more than is sent to it", s)
        .detail(std::to_string(s.length) + " bytes from " + std::to_string(s.skipped_bytes) +
                " on, of " + std::to_string(sender.data->size()));
  }
  EDGETWIN_TRY(core.charge_memory(s.length, s));
  const auto first = sender.data->begin() + static_cast<std::ptrdiff_t>(s.skipped_bytes);
  s.data = shared(Bytes(first, first + static_cast<std::ptrdiff_t>(s.length)));
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
