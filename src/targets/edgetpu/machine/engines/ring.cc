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
  // The next lines: where they stand, if they stand there as they are to be.
  SentBytes take(int64_t lines) {
    const auto count = static_cast<uint64_t>(lines);
    const size_t size = static_cast<size_t>(count) * kRingLine;
    if (const SentBytes* sent = sent_whole(count)) {
      const size_t begin = static_cast<size_t>(sources_[at_].first + line_) * kRingLine;
      go_on(count);
      return sent->part(begin, size);
    }
    Bytes bytes(size);
    for (size_t n = 0; n < size; n += kRingLine) next(bytes.data() + n);
    return shared(std::move(bytes));
  }

 private:
  // What the sender at hand sent, where the next lines are whole ones of it.
  const SentBytes* sent_whole(uint64_t count) const {
    if (at_ >= sources_.size() || count == 0) return nullptr;
    const LineSource& from = sources_[at_];
    const Step& sender = list_[from.step];
    const bool whole = sender.line_bytes == kWideLineBytes && line_ + count <= from.lines &&
                       (from.first + line_ + count) * kRingLine <= sender.data->size();
    return whole ? &sender.data : nullptr;
  }
  // What lies after a sender's last byte stays as it is.
  void next(std::byte* to) {
    if (at_ >= sources_.size()) return;
    const LineSource& from = sources_[at_];
    const Step& sender = list_[from.step];
    const auto size = static_cast<size_t>(sender.line_bytes);
    const size_t begin = static_cast<size_t>(from.first + line_) * size;
    go_on(1);
    if (begin >= sender.data->size()) return;
    std::memcpy(to, sender.data->data() + begin, std::min(size, sender.data->size() - begin));
  }
  void go_on(uint64_t count) {
    line_ += count;
    if (line_ != sources_[at_].lines) return;
    line_ = 0;
    ++at_;
  }

  const std::vector<Step>& list_;
  const std::vector<LineSource>& sources_;
  size_t at_ = 0;
  uint64_t line_ = 0;
};

// What a ring receiver puts where in tiles that get the same.
struct Placement {
  std::vector<std::pair<int64_t, SentBytes>> direct;  // first line and bytes
  std::vector<SentBytes> header_passes, passes;
};

// Whether the senders sent all lines that the receiver takes.
bool all_sent(const std::vector<Step>& list, const std::vector<LineSource>& sources) {
  return std::all_of(sources.begin(), sources.end(), [&](const LineSource& from) {
    const Step& sender = list[from.step];
    const auto size = static_cast<uint64_t>(sender.line_bytes);
    return from.first + from.lines <= (sender.data->size() + size - 1) / size;
  });
}

// The lines of a receiver in their order.
class Placing {
 public:
  Placing(const Step& s, const std::vector<LineSource>& sources, const std::vector<Step>& list)
      : s_(s), lines_(list, sources) {}

  Placement place() {
    const int64_t period = s_.header.period;
    const auto pass_size = static_cast<int64_t>(s_.a.pass_places());
    int64_t n = 0;
    unroll(s_.a, [&](int64_t line, uint32_t /*pass*/) {
      if (n == 0 || (period != 0 && n % period == 0)) header();
      if (!s_.a.streamed()) {
        directly(line);
      } else if (n % pass_size == 0) {
        p_.passes.push_back(lines_.take(pass_size));
      }
      ++n;
    });
    end_run();
    return std::move(p_);
  }

 private:
  void header() {
    const HeaderLines& h = s_.header;
    if (h.count == 0) return;
    end_run();
    if (h.streamed) {
      p_.header_passes.push_back(lines_.take(h.count));
    } else {
      p_.direct.emplace_back(h.start, lines_.take(h.count));
    }
  }
  void directly(int64_t line) {
    if (line != run_ + run_lines_) end_run();
    if (run_lines_ == 0) run_ = line;
    ++run_lines_;
  }
  // Neighbouring lines are taken together.
  void end_run() {
    if (run_lines_ != 0) p_.direct.emplace_back(run_, lines_.take(run_lines_));
    run_lines_ = 0;
  }

  const Step& s_;
  Lines lines_;
  Placement p_;
  int64_t run_ = 0, run_lines_ = 0;
};

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
  JoinedBytes data(lines * kRingLine);
  if (s.a.streamed()) {
    Stream* stream = t.leaving_streams.find(s.a.path.start, s.a.stream_by);
    const uint64_t pass = s.a.pass_places();
    const uint64_t passes = (lines + pass - 1) / pass;
    if (stream == nullptr || stream->waiting(Reader::once, s.a.path.start) < passes) {
      return Progress::waits;
    }
    for (uint64_t n = 0; n < passes; ++n) data.add(stream->next(Reader::once, s.a.path.start));
    data.resize(lines * kRingLine);
    s.data = data.take();
    return Progress::done;
  }
  EDGETWIN_TRY(core.check(s.a, 1, kWideLines, s));
  s.data = shared(lines_of(t, s.a, lines));
  return Progress::done;
}

namespace {

void put_lines(Core& core, const Step& s, uint32_t tiles, Placement p) {
  const auto header_passes = shared_passes(std::move(p.header_passes));
  const auto passes = shared_passes(std::move(p.passes));
  for (size_t n = 0; n < kTiles; ++n) {
    if (!has_tile(tiles, n)) continue;
    Tile& t = core.tiles[n];
    for (const auto& [line, bytes] : p.direct) {
      std::memcpy(t.wide.data() + line * kWideLineBytes, bytes->data(), bytes->size());
    }
    if (!header_passes->empty()) {
      t.header_streams.at(s.header.start, s.header.count).push(header_passes);
    }
    if (!passes->empty()) t.wide_streams.at(s.a.path.start, s.a.stream_by).push(passes);
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
    put_lines(core, s, r.tiles, Placing(s, r.sources, list).place());
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
  s.data = sender.data.part(s.skipped_bytes, s.length);
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
