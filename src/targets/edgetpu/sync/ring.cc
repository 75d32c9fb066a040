// The ring: lines from tiles and from the scalar core to receivers and to the outfeed.
#include <cstring>

#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::has_tile;
using machine::Tile;

constexpr size_t kRingBytes = static_cast<size_t>(kWideLineBytes);
constexpr uint64_t kMostRingLines = uint64_t{1} << 32U;

}  // namespace

void Executor::give_outfeed(size_t tile, const Work& w, const Bytes& lines, const Stamp& stamp) {
  const size_t step = items_[w.item].step;
  Delivery* to = nullptr;
  for (Delivery& d : to_outfeed_) {
    if (d.step == step && d.tile == tile && d.bytes.size() < d.total) to = &d;
  }
  if (to == nullptr) {
    to_outfeed_.emplace_back();
    to = &to_outfeed_.back();
    to->step = step;
    to->tile = tile;
    to->total = w.plan->step.a.count(kMostRingLines) * kRingBytes;
  }
  to->bytes.insert(to->bytes.end(), lines.begin(), lines.end());
  to->arrived.emplace_back(to->bytes.size(), stamp);
  wake_core();
}

bool Executor::send_part(size_t tile, Work& w, Lane& l) {
  const StepPlan& plan = *w.plan;
  const SidePlan& parts = plan.side[0];
  const uint32_t begin = parts.begin_of(w.part[0]);
  const uint32_t end = parts.end[w.part[0]];
  const Tile& memory = core_.tiles[tile];
  join_needs(tile, parts, w.part[0], l);
  const Access me = access(tile, 1, 0, w);
  if (shadow_) shadow_->send(me, plan.step.instruction().get("second"));
  auto lines = std::make_shared<Bytes>();
  for (uint32_t n = begin; n < end; ++n) {
    const int64_t line = plan.a.place(n, w.turn_a);
    if (shadow_) shadow_->read(me, Memory::wide, line);
    const auto* from = memory.wide.data() + line * kWideLineBytes;
    lines->insert(lines->end(), from, from + kRingBytes);
  }
  end_part(tile, lane_of(tile, 1, 0), 0, w, l, options_.costs.line * (end - begin));
  const Stamp stamp = stamp_behind(lane_of(tile, 1, 0));
  const auto receiver = static_cast<size_t>(plan.step.consumer);
  for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
    if (!has_tile(plan.step.destination, t)) continue;
    tiles_[t].ring[receiver].push_back({lines, 0, end - begin, stamp});
    wake(lane_of(t, 2 + receiver, 0));
  }
  if (plan.step.to_host) give_outfeed(tile, w, *lines, stamp);
  return true;
}

uint64_t Executor::lines_waiting(size_t tile, size_t receiver) const {
  uint64_t n = 0;
  for (const RingChunk& c : tiles_[tile].ring[receiver]) n += c.count - c.taken;
  return n;
}

void Executor::take_line(size_t tile, size_t receiver, std::byte* to, Lane& l) {
  auto& queue = tiles_[tile].ring[receiver];
  RingChunk& c = queue.front();
  join_stamp(l, c.stamp);
  std::memcpy(to, c.lines->data() + c.taken * kRingBytes, kRingBytes);
  if (++c.taken == c.count) queue.pop_front();
}

bool Executor::receive_part(size_t tile, size_t engine, Work& w, Lane& l) {
  const StepPlan& plan = *w.plan;
  const SidePlan& parts = plan.side[0];
  const uint32_t begin = parts.begin_of(w.part[0]);
  const uint32_t end = parts.end[w.part[0]];
  const size_t receiver = engine - 2;
  const HeaderLines& h = plan.step.header;
  const auto period = static_cast<uint64_t>(h.period);
  const auto header_at = [&](uint32_t n) {
    return h.count != 0 && (n == 0 || (period != 0 && n % period == 0));
  };
  uint64_t needed = 0;
  for (uint32_t n = begin; n < end; ++n) {
    needed += 1 + (header_at(n) ? static_cast<uint64_t>(h.count) : 0);
  }
  if (lines_waiting(tile, receiver) < needed) return false;
  if (w.part[0] == 0 && h.streamed) {
    SidePlaces places;
    places.by = h.count;
    places.start = h.start;
    const uint64_t all = plan.a.at.size();
    places.passes = period == 0 ? 1 : static_cast<uint32_t>((all + period - 1) / period);
    w.turn_header = take_turns(tile, engine, 3, places);
  }
  join_needs(tile, parts, w.part[0], l);
  // The clock is whole before anything is written: lines of one part come together.
  Bytes lines(needed * kRingBytes);
  for (uint64_t n = 0; n < needed; ++n) {
    take_line(tile, receiver, lines.data() + n * kRingBytes, l);
  }
  const Access me = access(tile, engine, 0, w);
  Tile& memory = core_.tiles[tile];
  const std::byte* from = lines.data();
  const auto put = [&](int64_t line) {
    if (shadow_) shadow_->write(me, Memory::wide, line);
    std::memcpy(memory.wide.data() + line * kWideLineBytes, from, kRingBytes);
    from += kRingBytes;
  };
  for (uint32_t n = begin; n < end; ++n) {
    if (header_at(n)) {
      const uint64_t turn = h.streamed ? (w.headers + w.turn_header) & 1U : 0;
      ++w.headers;
      for (int64_t k = 0; k < h.count; ++k) {
        put(h.start + static_cast<int64_t>(turn) * h.count + k);
      }
    }
    put(plan.a.place(n, w.turn_a));
  }
  end_part(tile, lane_of(tile, engine, 0), 0, w, l,
           options_.costs.line * static_cast<double>(needed));
  return true;
}

}  // namespace edgetwin::edgetpu::sync
