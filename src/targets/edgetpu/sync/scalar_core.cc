// The scalar core, and its engines for the streams from and to the host.
#include <cstring>

#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::has_tile;

constexpr size_t kLineOfRing = static_cast<size_t>(kWideLineBytes);
constexpr size_t kFirstRing = static_cast<size_t>(ScalarCounter::producer_a);

// Which engine of the scalar core must be idle, by bit of the field; nothing: its own output.
std::optional<CoreEngine> idle_engine(size_t bit) {
  constexpr std::array kEngines = {CoreEngine::activations, CoreEngine::parameters,
                                   CoreEngine::param, CoreEngine::outfeed};
  return bit < kEngines.size() ? std::optional(kEngines.at(bit)) : std::nullopt;
}

uint64_t share(uint64_t all, uint64_t part, uint64_t parts) {
  return part == parts ? all : all * part / parts;
}

}  // namespace

bool Executor::core_idle(CoreEngine engine) const {
  const auto k = static_cast<size_t>(engine);
  return core_queue_[k].empty() && !core_work_[k];
}

bool Executor::may_pass(const Instruction& i) const {
  if (i.get("fence") != 0) {
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
      if (((i.get("fence.tiles") >> t) & 1U) != 0 && tiles_[t].told.empty()) return false;
    }
  }
  for (size_t k = 0; k < kScalarCounters; ++k) {
    if (((i.get("wait") >> k) & 1U) == 0) continue;
    const Need need{static_cast<ScalarCounter>(k), static_cast<int32_t>(i.get("threshold", k))};
    if (!reached(0, need)) return false;
  }
  constexpr size_t kIdleBits = 5;
  for (size_t k = 0; k < kIdleBits; ++k) {
    const auto engine = idle_engine(k);
    if (engine && ((i.get("idle") >> k) & 1U) != 0 && !core_idle(*engine)) return false;
  }
  return true;
}

void Executor::pass(const Instruction& i) {
  Lane& l = lanes_[lane_of(CoreEngine::scalar)];
  if (i.get("fence") != 0) {
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
      if (((i.get("fence.tiles") >> t) & 1U) == 0) continue;
      join_stamp(l, tiles_[t].told.front());
      tiles_[t].told.pop_front();
    }
  }
  for (size_t k = 0; k < kScalarCounters; ++k) {
    if (((i.get("wait") >> k) & 1U) == 0) continue;
    const Need need{static_cast<ScalarCounter>(k), static_cast<int32_t>(i.get("threshold", k))};
    join_stamp(l, when(0, need));
  }
  for (size_t k = 0; k < kCoreEngines - 1; ++k) {
    const auto engine = idle_engine(k);
    if (!engine || ((i.get("idle") >> k) & 1U) == 0) continue;
    const Lane& other = lanes_[lane_of(*engine)];
    if (shadow_) l.clock.join(other.clock);
    l.time = std::max(l.time, other.time);
  }
  l.clock.count(lane_of(CoreEngine::scalar));
  const auto value = static_cast<int64_t>(i.get("value"));
  for (size_t k = 0; k < kScalarCounters; ++k) {
    if (((i.get("set") >> k) & 1U) == 0) continue;
    if (k == kFirstRing || k == kFirstRing + 1) {
      scalar_ring_base_[k - kFirstRing] = ring_[k - kFirstRing].value() - value;
    } else {
      scalar_[k].restart(value, stamp_of(l));
    }
  }
  wake_core();
}

void Executor::issue(const Item& item) {
  Lane& l = lanes_[lane_of(CoreEngine::scalar)];
  const TileState::Issued issued{next_, stamp_of(l)};
  const auto give = [&](CoreEngine engine) {
    core_queue_[static_cast<size_t>(engine)].push_back(issued);
    wake_core();
  };
  switch (item.instruction.opcode()) {
    case Opcode::infeed:
      return give(item.instruction.get("input") != 0 ? CoreEngine::activations
                                                     : CoreEngine::parameters);
    case Opcode::param:
      return give(CoreEngine::param);
    case Opcode::outfeed:
      return give(CoreEngine::outfeed);
    default:
      break;
  }
  for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
    if (!has_tile(item.tiles, t)) continue;
    tiles_[t].stream.push_back(issued);
    wake_tile(t);
  }
}

Result<bool> Executor::scalar() {
  if (next_ >= items_.size()) return false;
  const Item& item = items_[next_];
  Lane& l = lanes_[lane_of(CoreEngine::scalar)];
  if (item.instruction.opcode() == Opcode::sync) {
    if (!may_pass(item.instruction)) return false;
    pass(item.instruction);
  } else {
    issue(item);
  }
  l.time += static_cast<int64_t>(options_.costs.scalar);
  ++next_;
  return true;
}

Result<bool> Executor::core_engine(CoreEngine engine) {
  const auto k = static_cast<size_t>(engine);
  Lane& l = lanes_[lane_of(engine)];
  auto& work = core_work_[k];
  if (!work) {
    if (core_queue_[k].empty()) return false;
    const TileState::Issued issued = core_queue_[k].front();
    core_queue_[k].pop_front();
    work.emplace();
    work->item = issued.item;
    work->plan = core_plan(items_[issued.item].instruction);
    join_stamp(l, issued.stamp);
    return true;
  }
  Work& w = *work;
  const SidePlan& plan = w.plan->side[0];
  if (w.part[0] < plan.parts()) {
    if (unmet_need(0, plan, w.part[0]) != nullptr) return false;
    ready_ = l.time;
    EDGETWIN_TRY_ASSIGN(const bool moved, core_part(engine, w, l));
    if (!moved) return false;
  }
  if (w.part[0] < plan.parts()) return true;
  work.reset();
  wake_core();
  return true;
}

Result<bool> Executor::core_part(CoreEngine engine, Work& w, Lane& l) {
  const SidePlan& plan = w.plan->side[0];
  const uint32_t begin = plan.begin_of(w.part[0]);
  const uint32_t end = plan.end[w.part[0]];
  if (engine == CoreEngine::param) {
    EDGETWIN_TRY_ASSIGN(const bool there, param_part(w, l, begin, end));
    if (!there) return false;
  } else if (engine == CoreEngine::outfeed) {
    if (!outfeed_part(w, l, begin, end)) return false;
  } else {
    join_needs(0, plan, w.part[0], l);
  }
  const bool lines = engine == CoreEngine::parameters;
  constexpr double kUnitsOfLine = 8.0;
  const double cost = options_.costs.unit * (lines ? kUnitsOfLine : 1.0) * (end - begin);
  // Taking from a buffer costs nothing beside filling it.
  const bool fills = engine == CoreEngine::activations || lines;
  const bool sends = engine == CoreEngine::outfeed;
  end_part(0, lane_of(engine), 0, w, l, fills || sends ? cost : 0.0);
  return true;
}

Result<bool> Executor::param_part(Work& w, Lane& l, uint32_t begin, uint32_t end) {
  const SidePlan& plan = w.plan->side[0];
  Step& s = core_.steps.list[items_[w.item].step];
  const auto size = static_cast<uint64_t>(s.line_bytes);
  const uint64_t all = plan.end.back();
  const uint64_t first = share(s.taken, begin, all);
  const uint64_t last = share(s.taken, end, all);
  const bool returned = s.from == ParamSource::returned;
  ByteSpan from = core_.parameters;
  if (returned) {
    if (to_param_.empty()) return false;
    Delivery& d = *to_param_.front();
    if (d.bytes.size() < std::min(d.total, last * size)) return false;
    for (const auto& [bytes, stamp] : d.arrived) {
      if (bytes <= first * size) continue;
      join_stamp(l, stamp);
      if (bytes >= last * size) break;
    }
    from = d.bytes;
  } else if (s.from == ParamSource::input) {
    if (s.infeed == kNone || s.infeed >= core_.inputs.size()) {
      return core_.error(ErrorCode::chip_stream, "input is taken that no transfer brings", s);
    }
    if (begin == 0 && !core_.returned.empty()) {
      if (tried_at_ == outfeeds_done_) return false;
      EDGETWIN_TRY_ASSIGN(const bool there, machine::bring_back(core_, s));
      if (!there) tried_at_ = outfeeds_done_;
      if (!there) return false;
      // The host has had these bytes from an outfeed.
      const Lane& sender = lanes_[lane_of(CoreEngine::outfeed)];
      join_stamp(l, stamp_of(sender));
    }
    from = core_.inputs[s.infeed];
  }
  const uint64_t offset = returned ? 0 : s.offset;
  if (offset >= from.size()) {
    return core_.error(ErrorCode::chip_stream, "bytes are taken that the host does not send", s)
        .detail("first byte " + std::to_string(offset) + ", sent are " +
                std::to_string(from.size()));
  }
  join_needs(0, plan, w.part[0], l);
  if (last > first) {
    auto lines = std::make_shared<Bytes>((last - first) * kLineOfRing);
    for (uint64_t n = first; n < last; ++n) {
      const uint64_t at = std::min<uint64_t>(offset + n * size, from.size());
      const ByteSpan bytes = from.subspan(at, std::min<uint64_t>(size, from.size() - at));
      if (bytes.empty()) continue;
      std::memcpy(lines->data() + (n - first) * kLineOfRing, bytes.data(), bytes.size());
    }
    l.clock.count(lane_of(CoreEngine::param));
    const Stamp stamp = stamp_of(l);
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
      if (!has_tile(s.destination, t)) continue;
      tiles_[t].ring[0].push_back({lines, 0, last - first, stamp});
      wake(lane_of(t, 2, 0));
    }
  }
  if (returned && end == all) to_param_.pop_front();
  return true;
}

bool Executor::outfeed_part(Work& w, Lane& l, uint32_t begin, uint32_t end) {
  const SidePlan& plan = w.plan->side[0];
  Step& s = core_.steps.list[items_[w.item].step];
  if (to_outfeed_.empty()) return false;
  Delivery& d = to_outfeed_.front();
  const bool returns = !s.to_host && !s.to_memory;
  const uint64_t length = returns ? d.total : s.length;
  const uint64_t all = plan.end.back();
  const uint64_t n = share(length, end, all) - share(length, begin, all);
  if (d.bytes.size() < d.taken + n) return false;
  join_needs(0, plan, w.part[0], l);
  for (const auto& [bytes, stamp] : d.arrived) {
    if (bytes <= d.taken) continue;
    join_stamp(l, stamp);
    if (bytes >= d.taken + n) break;
  }
  const auto first = d.bytes.begin() + static_cast<std::ptrdiff_t>(d.taken);
  const auto last = first + static_cast<std::ptrdiff_t>(n);
  if (returns) {
    // The parameter engine may have taken the last byte before this instruction's last part,
    // which then brings none: the delivery lives as long as both of them work on it.
    if (begin == 0) {
      w.returned = std::make_shared<Delivery>();
      w.returned->total = length;
      to_param_.push_back(w.returned);
    }
    Delivery& to = *w.returned;
    to.bytes.insert(to.bytes.end(), first, last);
    to.arrived.emplace_back(to.bytes.size(), stamp_of(l));
    wake_core();
  } else {
    w.data.insert(w.data.end(), first, last);
  }
  d.taken += n;
  if (end != all) return true;
  // What comes back to a param is none of the host's bytes, but the host's come in the order of all
  // outfeeds.
  if (!returns) s.data = std::make_shared<const Bytes>(std::move(w.data));
  s.done = true;
  ++outfeeds_done_;
  wake_core();
  if (returns || d.taken + kLineOfRing > d.total) to_outfeed_.pop_front();
  return true;
}

}  // namespace edgetwin::edgetpu::sync
