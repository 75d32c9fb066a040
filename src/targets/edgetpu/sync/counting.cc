// The counters: tsync sets them, engines count them, waits look at them.
#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

bool is_producer(CounterId c) {
  return c == TileCounter::ring_producer_a || c == TileCounter::ring_producer_b;
}

size_t producer_index(CounterId c) { return c == TileCounter::ring_producer_b ? 1 : 0; }

}  // namespace

// The tile hands its instructions to the engines in order; a tsync holds it until engines are idle.
bool Executor::dispatch(size_t tile) {
  TileState& t = tiles_[tile];
  if (t.stream.empty()) return false;
  const TileState::Issued issued = t.stream.front();
  const Instruction& i = items_[issued.item].instruction;
  if (i.opcode() != Opcode::tile_sync) {
    Stamp stamp = issued.stamp;
    if (shadow_ && t.order.clock && stamp.clock) {
      stamp.clock->join(*t.order.clock);
      stamp.lane = kLanes;
    } else if (t.order.clock) {
      stamp.clock = t.order.clock;
    }
    stamp.time = std::max(stamp.time, t.order.time);
    const size_t engine = tile_engine(i.opcode());
    t.queue[engine].push_back({issued.item, stamp});
    t.stream.pop_front();
    wake(lane_of(tile, engine, 0));
    wake(lane_of(tile, engine, 1));
    return true;
  }
  const uint32_t idle = idle_engines(i);
  for (size_t e = 0; e < kTileEngines; ++e) {
    if (((idle >> e) & 1U) != 0 && (t.work[e] || !t.queue[e].empty())) return false;
  }
  Lane order;
  order.clock = Clock(tile);
  join_stamp(order, issued.stamp);
  join_stamp(order, t.order);
  for (size_t e = 0; e < kTileEngines; ++e) {
    if (((idle >> e) & 1U) == 0) continue;
    for (size_t side = 0; side < 2; ++side) {
      const Lane& l = lanes_[lane_of(tile, e, side)];
      if (shadow_) order.clock.join(l.clock);
      order.time = std::max(order.time, l.time);
    }
  }
  t.order = stamp_of(order);
  // The engines that it waits for begin with their first buffer again.
  std::erase_if(t.turns, [idle](const auto& entry) {
    return ((idle >> std::get<0>(entry.first)) & 1U) != 0;
  });
  set_counters(tile, i);
  if (i.get("tell") != 0) t.told.push_back(t.order);
  t.stream.pop_front();
  wake_tile(tile);
  wake_core();
  return true;
}

void Executor::set_counters(size_t tile, const Instruction& i) {
  TileState& t = tiles_[tile];
  const auto value = static_cast<int64_t>(i.get("value"));
  for (size_t c = 0; c < kTileCounters; ++c) {
    if (((i.get("set") >> c) & 1U) == 0) continue;
    const CounterId id(static_cast<TileCounter>(c));
    if (is_producer(id)) {
      t.ring_base[producer_index(id)] = ring_[producer_index(id)].value() - value;
    } else {
      t.counter[c].set(value, t.order);
    }
  }
}

bool Executor::reached(size_t tile, const Need& need) const {
  if (need.counter.scalar()) {
    const size_t k = need.counter.index();
    const auto c = static_cast<ScalarCounter>(k);
    if (c == ScalarCounter::producer_a || c == ScalarCounter::producer_b) {
      const size_t ring = c == ScalarCounter::producer_b ? 1 : 0;
      return ring_[ring].reached(need.threshold, scalar_ring_base_[ring]);
    }
    return scalar_[k].reached(need.threshold);
  }
  const TileState& t = tiles_[tile];
  if (is_producer(need.counter)) {
    const size_t ring = producer_index(need.counter);
    return ring_[ring].reached(need.threshold, t.ring_base[ring]);
  }
  return t.counter[need.counter.index()].reached(need.threshold);
}

const Stamp& Executor::when(size_t tile, const Need& need) const {
  if (need.counter.scalar()) {
    const size_t k = need.counter.index();
    const auto c = static_cast<ScalarCounter>(k);
    if (c == ScalarCounter::producer_a || c == ScalarCounter::producer_b) {
      const size_t ring = c == ScalarCounter::producer_b ? 1 : 0;
      return ring_[ring].when(need.threshold, scalar_ring_base_[ring]);
    }
    return scalar_[k].when(need.threshold);
  }
  const TileState& t = tiles_[tile];
  if (is_producer(need.counter)) {
    const size_t ring = producer_index(need.counter);
    return ring_[ring].when(need.threshold, t.ring_base[ring]);
  }
  return t.counter[need.counter.index()].when(need.threshold);
}

void Executor::raise(size_t tile, const Count& count, const Stamp& stamp) {
  if (is_producer(count.counter)) {
    ring_[producer_index(count.counter)].raise(count.n, stamp);
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) wake(lane_of(t, 1, 0));
    wake_core();
  } else if (count.counter.scalar()) {
    scalar_[count.counter.index()].raise(count.n, stamp);
    wake_core();
  } else {
    tiles_[tile].counter[count.counter.index()].raise(count.n, stamp);
    wake_tile(tile);
  }
}

}  // namespace edgetwin::edgetpu::sync
