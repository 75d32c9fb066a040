#include "targets/edgetpu/isa/counters.h"

#include <array>

namespace edgetwin::edgetpu {
namespace {

struct CounterInfo {
  std::string_view name, counted_by;
};
constexpr std::array<CounterInfo, kTileCounters + kScalarCounters> kCounters = {{
#define TILE_COUNTER(name, text, counted_by) {text, counted_by},
#include "targets/edgetpu/isa/counters.def"
#define SCALAR_COUNTER(name, text, counted_by) {text, counted_by},
#include "targets/edgetpu/isa/counters.def"
}};

// Fields of isa.def by what they are for.
struct CountRow {
  Opcode opcode;
  FieldName enable, level;
  EngineSide side;
  TileCounter counter;
};
constexpr CountRow kCountRows[] = {
#define COUNTS(opcode, field, side, counter)                                          \
  {Opcode::opcode, FieldName("counts.", field), FieldName("counts." field, ".level"), \
   EngineSide::side, TileCounter::counter},
#include "targets/edgetpu/isa/counters.def"
};

bool is_tensor_opcode(Opcode o) {
  return o == Opcode::tensor || o == Opcode::tensor_max || o == Opcode::tensor_exp ||
         o == Opcode::tensor_resize;
}

bool waits_in_scalar_core(Opcode o) {
  return o == Opcode::infeed || o == Opcode::param || o == Opcode::outfeed;
}

// Instructions whose counter another field chooses.
TileCounter chosen(const Instruction& i, TileCounter counter) {
  if (i.opcode() == Opcode::wide_to_narrow && i.get("numbers") != 0) {
    return TileCounter::wide_to_scaling;
  }
  const bool producer = counter == TileCounter::ring_producer_a;
  if (producer && i.get("second") != 0) return TileCounter::ring_producer_b;
  return counter;
}

void add_param(const Instruction& i, std::vector<CountProducer>& all) {
  constexpr std::array kByKind = {ScalarCounter::parameter_infeed, ScalarCounter::avdata_infeed,
                                  ScalarCounter::scalar_infeed};
  const uint64_t kind = i.get("kind");
  if (kind >= kByKind.size()) return;
  if (i.get("counts.producer") != 0) {
    all.push_back({TileCounter::ring_producer_a,
                   static_cast<uint8_t>(i.get("counts.producer.level")), EngineSide::a});
  }
  if (i.get("counts.infeed") != 0) {
    all.push_back(
        {kByKind.at(kind), static_cast<uint8_t>(i.get("counts.infeed.level")), EngineSide::a});
  }
}

EngineSide side_of(const Instruction& i, size_t element) {
  if (is_tensor_opcode(i.opcode())) return EngineSide::loop;
  const bool two = i.opcode() == Opcode::narrow_to_wide || i.opcode() == Opcode::wide_to_narrow ||
                   tile_engine(i.opcode()) >= tile_engine(Opcode::move_down);
  const bool tiles = tile_engine(i.opcode()) != kNoEngine;
  return tiles && two && i.get("wait.side", element) != 0 ? EngineSide::b : EngineSide::a;
}

std::string bits_text(uint64_t mask, bool scalar) {
  constexpr uint64_t kAll = (1U << kTileCounters) - 1U;
  constexpr uint64_t kAllScalar = (1U << kScalarCounters) - 1U;
  if (mask == (scalar ? kAllScalar : kAll)) return "all counters";
  std::string text;
  const size_t first = scalar ? kTileCounters : 0;
  for (size_t k = 0; k < (scalar ? kScalarCounters : kTileCounters); ++k) {
    if (((mask >> k) & 1U) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(kCounters.at(first + k).name);
  }
  return text;
}

void append_clause(std::string& text, const std::string& clause) {
  text += (text.empty() ? "" : ", ") + clause;
}

std::string tile_sync_text(const Instruction& i) {
  std::string text;
  constexpr uint64_t kAllEngines = 0x3FF;
  const uint64_t idle = i.get("idle");
  if (idle == kAllEngines) {
    append_clause(text, "wait for all engines");
  } else if (idle != 0) {
    std::string engines;
    const uint32_t mask = idle_engines(i);
    for (size_t e = 0; e < kTileEngines; ++e) {
      if (((mask >> e) & 1U) == 0) continue;
      engines += (engines.empty() ? "" : " ") + std::string(tile_engine_name(e));
    }
    append_clause(text, "wait for " + engines);
  }
  if (i.get("set") != 0) {
    append_clause(
        text, "set " + bits_text(i.get("set"), false) + " to " + std::to_string(i.get("value")));
  }
  if (i.get("tell") != 0) append_clause(text, "tell the scalar core");
  return text;
}

std::string sync_text(const Instruction& i) {
  std::string text;
  if (i.get("fence") != 0) append_clause(text, "wait until the tiles have told");
  for (size_t k = 0; k < kScalarCounters; ++k) {
    if (((i.get("wait") >> k) & 1U) == 0) continue;
    append_clause(text, "wait " + std::string(kCounters.at(kTileCounters + k).name) +
                            " >= " + std::to_string(i.get("threshold", k)));
  }
  if (i.get("idle") != 0) append_clause(text, "wait for engines of the scalar core");
  if (i.get("set") != 0) {
    append_clause(text,
                  "set " + bits_text(i.get("set"), true) + " to " + std::to_string(i.get("value")));
  }
  return text;
}

std::string wait_text(const Watcher& w) {
  std::string text = "wait " + std::string(name(w.counter)) + " >= " + std::to_string(w.start);
  if (w.step > 0) text += " + " + (w.step == 1 ? "" : std::to_string(w.step)) + "n";
  if (w.step < 0) text += " - " + std::to_string(-w.step) + "n";
  text += " at level " + std::to_string(w.level);
  return text + (w.side == EngineSide::b ? " of b" : "");
}

}  // namespace

std::string_view name(CounterId counter) { return kCounters.at(counter.number).name; }
std::string_view counted_by(CounterId counter) { return kCounters.at(counter.number).counted_by; }

std::vector<CountProducer> producers_of(const Instruction& i) {
  std::vector<CountProducer> all;
  for (const CountRow& row : kCountRows) {
    if (row.opcode != i.opcode() || i.get(row.enable) == 0) continue;
    all.push_back({chosen(i, row.counter), static_cast<uint8_t>(i.get(row.level)), row.side});
  }
  if (i.opcode() == Opcode::param) add_param(i, all);
  if (i.opcode() == Opcode::infeed && i.get("counts.pop") != 0) {
    const bool activations = i.get("input") != 0;
    all.push_back({activations ? ScalarCounter::avdata_pop : ScalarCounter::parameter_pop,
                   static_cast<uint8_t>(i.get("counts.pop.level")), EngineSide::a});
  }
  if (i.opcode() == Opcode::outfeed && i.get("stream") != 0) {
    all.push_back(
        {ScalarCounter::ring_outfeed, static_cast<uint8_t>(i.get("stream.level")), EngineSide::a});
  }
  return all;
}

std::vector<Watcher> watchers_of(const Instruction& i) {
  std::vector<Watcher> all;
  const FieldInfo* valid = find_field(i.opcode(), "wait.valid");
  if (valid == nullptr) return all;
  const bool scalar = waits_in_scalar_core(i.opcode());
  for (size_t k = 0; k < valid->elements; ++k) {
    if (i.get(*valid, k) == 0) continue;
    const uint64_t number = i.get("wait.counter", k);
    if (number >= (scalar ? kScalarCounters : kTileCounters)) continue;
    Watcher w;
    w.counter = scalar ? CounterId(static_cast<ScalarCounter>(number))
                       : CounterId(static_cast<TileCounter>(number));
    w.level = static_cast<uint8_t>(i.get("wait.level", k));
    w.start = static_cast<int32_t>(i.get_signed("wait.start", k));
    w.step = static_cast<int32_t>(i.get_signed("wait.step", k));
    w.side = side_of(i, k);
    w.element = static_cast<uint8_t>(k);
    all.push_back(w);
  }
  return all;
}

size_t tile_engine(Opcode o) {
  if (is_tensor_opcode(o) || o == Opcode::table) return 0;
  const auto code = static_cast<size_t>(o);
  const auto first = static_cast<size_t>(Opcode::ring_send);
  const bool others = code >= first && code <= static_cast<size_t>(Opcode::move_right);
  return others ? 1 + code - first : kNoEngine;
}

std::string_view tile_engine_name(size_t engine) {
  constexpr std::array<std::string_view, kTileEngines> kNames = {
      "tensor", "ring.send", "ring.receive", "ring.receive1", "n2w",
      "w2n",    "move.down", "move.left",    "move.up",       "move.right"};
  return kNames.at(engine);
}

uint32_t idle_engines(const Instruction& i) {
  const uint64_t idle = i.get("idle");
  constexpr uint64_t kUnknownOrder = 0x1E;
  constexpr uint32_t kFour = (1U << 1U) | (1U << 2U) | (1U << 3U) | (1U << 5U);
  constexpr uint32_t kNarrowToWide = 1U << 4U;
  uint32_t mask = static_cast<uint32_t>(idle & 1U) | static_cast<uint32_t>(idle & 0x3C0U);
  if ((idle & 0x20U) != 0) mask |= kNarrowToWide;
  if ((idle & kUnknownOrder) != 0) mask |= kFour;
  return mask;
}

std::string describe_waits(const Instruction& i) {
  if (i.opcode() == Opcode::tile_sync) return tile_sync_text(i);
  if (i.opcode() == Opcode::sync) return sync_text(i);
  std::string text;
  for (const Watcher& w : watchers_of(i)) append_clause(text, wait_text(w));
  for (const CountProducer& p : producers_of(i)) {
    append_clause(text, "count " + std::string(name(p.counter)) + " at level " +
                            std::to_string(p.level) + (p.side == EngineSide::b ? " of b" : ""));
  }
  return text;
}

}  // namespace edgetwin::edgetpu
