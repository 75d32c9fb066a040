// Who sends to whom: the ring between the tiles and the queues to the host are found in the order
// of the program, for every tile and receiver apart.
#include <algorithm>
#include <array>
#include <deque>

#include "targets/edgetpu/machine/steps/step.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 40U;

Error stream_error(const Step& s, const std::string& program, std::string what) {
  return Error(ErrorCode::chip_stream, std::move(what)).in_file(program).detail(describe(s));
}

// A sender with lines that nobody has taken yet; those of `param` are as many as are taken.
struct Waiting {
  size_t step = 0;
  uint64_t first = 0, left = 0;
};
using Queue = std::deque<Waiting>;
using Queues = std::array<std::array<Queue, 2>, kTiles>;  // by tile and receiver

Queues senders_of(const std::vector<Step>& list) {
  Queues queues;
  for (size_t n = 0; n < list.size(); ++n) {
    const Step& s = list[n];
    if (s.opcode != Opcode::param && s.opcode != Opcode::ring_send) continue;
    const uint64_t lines = s.opcode == Opcode::param ? kMost : s.a.count(kMost);
    for (size_t t = 0; t < kTiles; ++t) {
      if (((s.destination >> t) & 1U) == 0) continue;
      queues[t][static_cast<size_t>(s.consumer)].push_back({n, 0, lines});
    }
  }
  return queues;
}

// A receiver takes from one sender after the other until it has its lines.
Result<std::vector<LineSource>> take(Queue& queue, const std::vector<Step>& list,
                                     const Step& receiver, const std::string& program) {
  std::vector<LineSource> sources;
  for (uint64_t need = receiver.lines_received(kMost); need != 0;) {
    if (queue.empty()) {
      return stream_error(receiver, program, "nothing is sent to a ring receiver")
          .detail(std::to_string(need) + " of " + std::to_string(receiver.lines_received(kMost)) +
                  " lines are missing");
    }
    Waiting& from = queue.front();
    const uint64_t n = std::min(need, from.left);
    sources.push_back({from.step, from.first, n});
    need -= n;
    from.first += n;
    from.left -= n;
    if (from.left == 0 || list[from.step].opcode == Opcode::param) queue.pop_front();
  }
  return sources;
}

Status pair_ring(std::vector<Step>& list, const std::string& program) {
  Queues queues = senders_of(list);
  for (Step& s : list) {
    if (s.opcode != Opcode::ring_receive && s.opcode != Opcode::ring_receive1) continue;
    for (size_t t = 0; t < kTiles; ++t) {
      if (((s.tiles >> t) & 1U) == 0) continue;
      EDGETWIN_TRY_ASSIGN(std::vector<LineSource> sources,
                          take(queues[t][static_cast<size_t>(s.consumer)], list, s, program));
      for (const LineSource& from : sources) {
        Step& sender = list[from.step];
        if (sender.opcode == Opcode::param) sender.taken = from.lines;
      }
      const auto same = [&](const ReceivedLines& r) { return r.sources == sources; };
      auto of = std::ranges::find_if(s.received, same);
      if (of == s.received.end()) of = s.received.insert(of, {0, std::move(sources)});
      of->tiles |= 1U << t;
    }
  }
  return Ok{};
}

// What is sent to the outfeeds: those that take less than it leave the rest to the next one, but
// for what only fills the last line.
class Outfeeds {
 public:
  Outfeeds(const std::vector<Step>& list, const std::string& program)
      : list_(list), program_(program) {
    for (size_t n = 0; n < list.size(); ++n) {
      if (list[n].opcode == Opcode::ring_send && list[n].to_host) sends_.push_back(n);
      if (list[n].opcode == Opcode::outfeed && returns(list[n])) returns_.push_back(n);
    }
  }
  Status take(Step& s) {
    if (sends_.empty()) return stream_error(s, program_, "nothing is sent to an outfeed");
    s.source = sends_.front();
    s.skipped_bytes = taken_;
    const uint64_t all =
        list_[s.source].a.count(kMostLines) * static_cast<uint64_t>(kWideLineBytes);
    taken_ += s.length;
    if (returns(s) || taken_ + static_cast<uint64_t>(kWideLineBytes) > all) {
      sends_.pop_front();
      taken_ = 0;
    }
    return Ok{};
  }
  Status take_returned(Step& s) {
    if (returns_.empty()) return stream_error(s, program_, "nothing is returned to a param");
    s.source = returns_.front();
    returns_.pop_front();
    return Ok{};
  }

 private:
  static bool returns(const Step& s) { return !s.to_host && !s.to_memory; }
  static constexpr uint64_t kMostLines = uint64_t{1} << 32U;

  const std::vector<Step>& list_;
  const std::string& program_;
  std::deque<size_t> sends_, returns_;
  uint64_t taken_ = 0;
};

// Outfeeds take what is sent to them in order; returned parameters come from them in order.
Status pair_outfeeds(std::vector<Step>& list, const std::string& program) {
  Outfeeds outfeeds(list, program);
  for (Step& s : list) {
    if (s.opcode == Opcode::outfeed) {
      EDGETWIN_TRY(outfeeds.take(s));
    } else if (s.opcode == Opcode::param && s.from == ParamSource::returned) {
      EDGETWIN_TRY(outfeeds.take_returned(s));
    }
  }
  return Ok{};
}

}  // namespace

uint64_t Step::lines_received(uint64_t most) const {
  const uint64_t lines = a.count(most);
  const auto period = static_cast<uint64_t>(header.period);
  const uint64_t periods = period == 0 ? 1 : (lines + period - 1) / period;
  return std::min(most + 1, lines + periods * static_cast<uint64_t>(header.count));
}

Status pair_queues(std::vector<Step>& list, const std::string& program) {
  EDGETWIN_TRY(pair_ring(list, program));
  return pair_outfeeds(list, program);
}

}  // namespace edgetwin::edgetpu::machine
