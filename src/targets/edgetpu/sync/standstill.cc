// A program that does not come to its end: what waits for what.
#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

std::string core_engine_name(CoreEngine e) {
  switch (e) {
    case CoreEngine::scalar:
      return "scalar core";
    case CoreEngine::activations:
      return "infeed of activations";
    case CoreEngine::parameters:
      return "infeed of parameters";
    case CoreEngine::param:
      return "param";
    case CoreEngine::outfeed:
      return "outfeed";
  }
  return "";
}

}  // namespace

std::string describe_item(const Item& item) {
  return std::string(item.instruction.info->name) + " of word " +
         std::to_string(item.instruction.word);
}

// What holds an engine that has an instruction.
std::string Executor::reason_of(size_t tile, const Work& w, size_t side) const {
  const SidePlan& plan = w.plan->side[side];
  const size_t part = w.part[side];
  std::string text;
  for (size_t n = plan.need_at[part]; n < plan.need_at[part + 1]; ++n) {
    const Need& need = plan.needs[n];
    if (reached(tile, need)) continue;
    text += (text.empty() ? "" : "; ") + wait_reason(tile, need);
  }
  return text.empty() ? "data that nothing sends" : text;
}

std::string Executor::wait_reason(size_t tile, const Need& need) const {
  int64_t value = 0;
  const CounterId c = need.counter;
  const bool second = c == TileCounter::ring_producer_b || c == ScalarCounter::producer_b;
  const bool first = c == TileCounter::ring_producer_a || c == ScalarCounter::producer_a;
  if (first || second) {
    const size_t ring = second ? 1 : 0;
    value =
        ring_[ring].value() - (c.scalar() ? scalar_ring_base_[ring] : tiles_[tile].ring_base[ring]);
  } else {
    value = c.scalar() ? scalar_[c.index()].value() : tiles_[tile].counter[c.index()].value();
  }
  std::string text = std::string(name(c)) + " is " + std::to_string(value) + " and must be " +
                     std::to_string(need.threshold) + "; " + std::string(counted_by(c)) +
                     " counts it";
  // What would still count it, if it went on.
  for (size_t e = 0; e < kTileEngines && !c.scalar(); ++e) {
    const auto& work = tiles_[tile].work[e];
    if (!work) continue;
    for (const CountProducer& p : producers_of(items_[work->item].instruction)) {
      if (p.counter == c) return text + ", and stands at " + describe_item(items_[work->item]);
    }
  }
  return text + ", and no instruction that would is under way";
}

std::string Executor::sync_reason(const Instruction& i) const {
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  if (i.get("fence") != 0) {
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
      if (((i.get("fence.tiles") >> t) & 1U) == 0 || !tiles_[t].told.empty()) continue;
      add("tile " + std::to_string(t) + " has not come to its tsync");
      break;
    }
  }
  for (size_t k = 0; k < kScalarCounters; ++k) {
    if (((i.get("wait") >> k) & 1U) == 0) continue;
    const Need need{static_cast<ScalarCounter>(k), static_cast<int32_t>(i.get("threshold", k))};
    if (!reached(0, need)) add(wait_reason(0, need));
  }
  return text.empty() ? "an engine of the scalar core that is not idle" : text;
}

std::optional<Standstill> standstill_of(const Executor& e) {
  Standstill s;
  const auto add = [&](std::string engine, size_t item, std::string reason) {
    s.waiting.push_back({std::move(engine), describe_item(e.items_[item]), std::move(reason)});
  };
  if (e.next_ < e.items_.size()) {
    add("scalar core", e.next_, e.sync_reason(e.items_[e.next_].instruction));
  }
  for (size_t k = 0; k < kCoreEngines; ++k) {
    if (e.core_work_[k]) {
      add(core_engine_name(static_cast<CoreEngine>(k)), e.core_work_[k]->item,
          e.reason_of(0, *e.core_work_[k], 0));
    }
  }
  for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
    const TileState& tile = e.tiles_[t];
    for (size_t n = 0; n < kTileEngines; ++n) {
      if (!tile.work[n]) continue;
      for (size_t side = 0; side < 2; ++side) {
        const Work& w = *tile.work[n];
        if (w.part[side] >= w.plan->side[side].parts()) continue;
        add("tile " + std::to_string(t) + ", " + std::string(tile_engine_name(n)) +
                (side == 0 ? " side a" : " side b"),
            w.item, e.reason_of(t, w, side));
      }
    }
    if (!tile.stream.empty()) {
      add("tile " + std::to_string(t), tile.stream.front().item,
          "engines of the tile that are not idle");
    }
  }
  if (s.waiting.empty()) return std::nullopt;
  return s;
}

}  // namespace edgetwin::edgetpu::sync
