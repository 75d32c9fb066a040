#include "targets/edgetpu/sync/executor.h"

#include <bit>
#include <cmath>

namespace edgetwin::edgetpu::sync {
namespace {

constexpr size_t kDispatch = kScalarLane;  // processes: lanes of tiles, then their dispatchers
constexpr size_t kCore = kDispatch + static_cast<size_t>(kTiles);
constexpr size_t kProcesses = kCore + kCoreEngines;
constexpr uint64_t kRedraw = 97;  // how often an adversarial order changes its mind

int64_t steps(double cost) { return static_cast<int64_t>(std::llround(cost)); }

uint64_t mix(uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace

Executor::Executor(Core& core, const std::vector<Item>& items, const SyncOptions& options)
    : core_(core),
      items_(items),
      options_(options),
      plans_(core.steps.list.size()),
      users_(core.steps.list.size()),
      awake_(kProcesses, 0),
      unmet_(kDispatch, nullptr),
      priority_(kProcesses, 0) {
  if (options.races) shadow_ = std::make_unique<Shadow>();
  for (size_t k = 0; k < kLanes; ++k) lanes_[k].clock = Clock(k / kTileLanes);
  links_ = link_numbers(core.steps.list);
  if (options.exact_lines) exact_ = exact_starts(items);
  random_ = options.seed.value_or(0);
}

void Executor::wake_tile(size_t tile) {
  for (size_t k = 0; k < kTileLanes; ++k) wake(tile * kTileLanes + k);
  wake(kDispatch + tile);
}

void Executor::wake_core() {
  for (size_t k = 0; k < kCoreEngines; ++k) wake(kCore + k);
}

void Executor::wake_all() {
  for (size_t k = 0; k < kProcesses; ++k) wake(k);
}

// In a fixed order the process that waits longest. Else one of three, by priorities that are drawn
// anew from time to time: some engines run far ahead, others stand still as long as they can.
size_t Executor::next_process() {
  size_t at = 0;
  if (options_.seed) {
    if (mix(random_) % kRedraw == 0) draw_priorities();
    const bool all = options_.hurried || options_.starved;
    at = static_cast<size_t>(mix(random_) % list_.size());
    for (size_t k = 0; k < (all ? list_.size() : 2); ++k) {
      const auto other = all ? k : static_cast<size_t>(mix(random_) % list_.size());
      if (priority_[list_[other]] > priority_[list_[at]]) at = other;
    }
  } else {
    at = list_.size() - 1;
  }
  const size_t process = list_[at];
  list_[at] = list_.back();
  list_.pop_back();
  awake_[process] = 0;
  return process;
}

void Executor::draw_priorities() {
  for (size_t k = 0; k < kProcesses; ++k) {
    priority_[k] = static_cast<uint32_t>(mix(random_));
    if (k >= kDispatch) continue;
    const size_t engine = k % kTileLanes / 2;
    if (engine == options_.hurried) priority_[k] = ~0U;
    if (engine == options_.starved) priority_[k] = 0;
  }
}

Status Executor::run() {
  if (options_.seed) draw_priorities();
  wake_all();
  while (!list_.empty()) {
    const size_t process = next_process();
    if (process < kDispatch && waits(process)) continue;
    EDGETWIN_TRY_ASSIGN(const bool moved, advance(process));
    if (moved) wake(process);
  }
  standstill_ = standstill_of(*this);
  return Ok{};
}

// Whether the lane cannot go on, as far as that is quickly seen: most that are woken cannot.
bool Executor::waits(size_t lane) {
  const size_t tile = lane / kTileLanes, engine = lane % kTileLanes / 2, side = lane % 2;
  const TileState& t = tiles_[tile];
  const std::optional<Work>& w = t.work[engine];
  if (!w) return t.queue[engine].empty();
  if (w->part[side] == w->plan->side[side].parts()) {
    return w->part[1 - side] < w->plan->side[1 - side].parts();
  }
  const Need*& unmet = unmet_[lane];
  if (unmet == nullptr) return false;
  if (!reached(tile, *unmet)) return true;
  unmet = nullptr;
  return false;
}

Result<bool> Executor::advance(size_t process) {
  if (process >= kCore) {
    const auto engine = static_cast<CoreEngine>(process - kCore);
    return engine == CoreEngine::scalar ? scalar() : core_engine(engine);
  }
  if (process >= kDispatch) return dispatch(process - kDispatch);
  const size_t tile = process / kTileLanes;
  return lane(tile, process % kTileLanes / 2, process % 2);
}

// The first of them.
const Need* Executor::unmet_need(size_t tile, const SidePlan& side, size_t part) const {
  for (size_t n = side.need_at[part]; n < side.need_at[part + 1]; ++n) {
    if (!reached(tile, side.needs[n])) return &side.needs[n];
  }
  return nullptr;
}

void Executor::join_stamp(Lane& into, const Stamp& stamp) const {
  const auto known = [&](const Clock& clock) {
    return stamp.lane < kLanes && into.clock[stamp.lane] >= clock[stamp.lane];
  };
  if (shadow_ && stamp.clock && !known(*stamp.clock)) into.clock.join(*stamp.clock);
  into.time = std::max(into.time, stamp.time);
}

void Executor::join_needs(size_t tile, const SidePlan& side, size_t part, Lane& l) {
  for (size_t n = side.need_at[part]; n < side.need_at[part + 1]; ++n) {
    join_stamp(l, when(tile, side.needs[n]));
  }
}

Stamp Executor::stamp_of(const Lane& l) const {
  return {shadow_ ? std::optional(l.clock) : std::nullopt, l.time};
}

Stamp Executor::stamp_behind(size_t lane) const {
  Stamp stamp = stamp_of(lanes_[lane]);
  stamp.lane = lane;
  return stamp;
}

Executor::Access Executor::access(size_t tile, size_t engine, size_t side, const Work& w) const {
  const size_t lane = lane_of(tile, engine, side);
  return {&lanes_, tile, engine * 2 + side, static_cast<uint32_t>(items_[w.item].step),
          lanes_[lane].clock[lane] + 1};
}

uint32_t Executor::take_turns(size_t tile, size_t engine, size_t side, const SidePlaces& places) {
  if (places.by == 0) return 0;
  uint32_t& turns = tiles_[tile].turns[{engine, side, places.start, places.by}];
  const uint32_t now = turns;
  turns += places.passes;
  return now & 1U;
}

Result<bool> Executor::start_work(size_t tile, size_t engine) {
  TileState& t = tiles_[tile];
  const TileState::Issued issued = t.queue[engine].front();
  const size_t step = items_[issued.item].step;
  if (plans_[step] == nullptr) {
    const auto exact = exact_.find(step);
    PlanOptions how;
    if (exact != exact_.end()) how.exact_start = exact->second;
    how.every_place = options_.every_place;
    EDGETWIN_TRY_ASSIGN(plans_[step], make_plan(core_, step, how));
    users_[step] = static_cast<uint8_t>(std::popcount(items_[issued.item].tiles));
  }
  Work w;
  w.item = issued.item;
  w.plan = plans_[step];
  if (--users_[step] == 0) plans_[step].reset();
  t.queue[engine].pop_front();
  w.turn_a = take_turns(tile, engine, 0, w.plan->a);
  w.turn_b = take_turns(tile, engine, 1, w.plan->b);
  w.turn_weight = take_turns(tile, engine, 2, w.plan->weight);
  Lane both;
  both.clock = Clock(tile);
  join_stamp(both, issued.stamp);
  for (size_t side = 0; side < 2; ++side) {
    const Lane& l = lanes_[lane_of(tile, engine, side)];
    if (shadow_) both.clock.join(l.clock);
    both.time = std::max(both.time, l.time);
  }
  both.time += steps(options_.costs.instruction);
  for (size_t side = 0; side < 2; ++side) {
    const size_t n = lane_of(tile, engine, side);
    if (shadow_) {
      lanes_[n].clock = both.clock;
      lanes_[n].history.emplace_back(both.clock[n] + 1, static_cast<uint32_t>(step));
    }
    lanes_[n].time = both.time;
  }
  t.work[engine] = std::move(w);
  Work& made = *t.work[engine];
  if (made.plan->step.numbers) start_numbers(tile, made);
  return true;
}

Result<bool> Executor::part_of(size_t tile, size_t engine, size_t side, Work& w) {
  Lane& l = lanes_[lane_of(tile, engine, side)];
  ready_ = l.time;
  switch (w.plan->step.opcode) {
    case Opcode::narrow_to_wide:
      return n2w_part(tile, side, w, l);
    case Opcode::wide_to_narrow:
      return w2n_part(tile, side, w, l);
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      return move_part(tile, engine, side, w, l);
    case Opcode::ring_send:
      return send_part(tile, w, l);
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return receive_part(tile, engine, w, l);
    default:
      return tensor_part(tile, w, l);
  }
}

Result<bool> Executor::lane(size_t tile, size_t engine, size_t side) {
  TileState& t = tiles_[tile];
  if (!t.work[engine]) {
    if (t.queue[engine].empty()) return false;
    EDGETWIN_TRY(start_work(tile, engine));
    wake(lane_of(tile, engine, 0));
    wake(lane_of(tile, engine, 1));
    return true;
  }
  Work& w = *t.work[engine];
  const bool others = w.part[1 - side] < w.plan->side[1 - side].parts();
  if (w.part[side] < w.plan->side[side].parts()) {
    // The lane goes on to no other part before it is met.
    const Need* unmet = unmet_need(tile, w.plan->side[side], w.part[side]);
    unmet_[lane_of(tile, engine, side)] = unmet;
    if (unmet != nullptr) return false;
    EDGETWIN_TRY_ASSIGN(const bool moved, part_of(tile, engine, side, w));
    if (!moved) return false;
    if (others || w.part[side] < w.plan->side[side].parts()) return true;
  } else if (others) {
    return false;
  }
  t.work[engine].reset();
  wake_tile(tile);
  return true;
}

void Executor::note_busy(size_t lane, uint32_t item, int64_t ready, int64_t begin, int64_t end) {
  if (!options_.timeline) return;
  const size_t last = last_busy_[lane];
  if (last != kNone && busy_[last].item == item && busy_[last].end == begin) {
    busy_[last].end = end;
    return;
  }
  last_busy_[lane] = busy_.size();
  busy_.push_back({static_cast<uint32_t>(lane), item, ready, begin, end});
}

// The part is done: the lane's clock and time go on, and its counters count.
void Executor::end_part(size_t tile, size_t n, size_t side, Work& w, Lane& l, double cost) {
  const int64_t begin = l.time;
  l.clock.count(n);
  l.time += steps(cost);
  note_busy(n, static_cast<uint32_t>(w.item), std::min(ready_, begin), begin, l.time);
  const SidePlan& plan = w.plan->side[side];
  const size_t part = w.part[side]++;
  if (plan.count_at[part] == plan.count_at[part + 1]) return;
  const Stamp stamp = stamp_behind(n);
  for (size_t k = plan.count_at[part]; k < plan.count_at[part + 1]; ++k) {
    raise(tile, plan.counts[k], stamp);
  }
}

int64_t Executor::end_time() const {
  int64_t end = 0;
  for (const Lane& l : lanes_) end = std::max(end, l.time);
  return end;
}

}  // namespace edgetwin::edgetpu::sync
