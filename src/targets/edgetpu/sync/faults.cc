#include "targets/edgetpu/sync/faults.h"

#include <set>

#include "targets/edgetpu/sync/effect.h"
#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::edgetpu::sync {
namespace {

using darwinn::Package;

enum class Change : uint8_t {
  start_lower,
  start_higher,
  wait_level_lower,
  wait_level_higher,
  count_removed,
  count_level_lower,
  count_level_higher,
};
constexpr size_t kChanges = 7;

std::string_view change_name(Change c) {
  switch (c) {
    case Change::start_lower:
      return "threshold one lower";
    case Change::start_higher:
      return "threshold one higher";
    case Change::wait_level_lower:
      return "wait one level lower";
    case Change::wait_level_higher:
      return "wait one level higher";
    case Change::count_removed:
      return "producer removed";
    case Change::count_level_lower:
      return "producer one level lower";
    case Change::count_level_higher:
      return "producer one level higher";
  }
  return "";
}

// A wait or a producer of the program.
struct Place {
  size_t chunk = 0, word = 0;
  bool wait = false;
  Watcher watcher;
  size_t producer = 0;  // of producers_of()
};

std::vector<Place> places_in(const darwinn::Executable& e, bool waits) {
  std::vector<Place> all;
  for (size_t c = 0; c < e.bitstreams.size(); ++c) {
    for (const Instruction& i : parse(e.bitstreams[c].data).instructions) {
      if (tile_engine(i.opcode()) == kNoEngine) continue;
      if (waits) {
        for (const Watcher& w : watchers_of(i)) all.push_back({c, i.word, true, w, 0});
      } else {
        const size_t n = producers_of(i).size();
        for (size_t k = 0; k < n; ++k) all.push_back({c, i.word, false, {}, k});
      }
    }
  }
  return all;
}

Instruction instruction_at(const darwinn::Bitstream& b, size_t word) {
  const ByteSpan rest = ByteSpan(b.data).subspan(word * kWordBytes);
  const OpcodeInfo* found = find_opcode(opcode_of(rest));
  return {found, word, rest.first(static_cast<size_t>(found->words) * kWordBytes)};
}

// The enable bit and the level of a producer in use, as fields.
std::pair<const FieldInfo*, const FieldInfo*> producer_fields(const Instruction& i, size_t n) {
  for (const FieldInfo& f : fields_of(i.opcode())) {
    if (!f.name.starts_with("counts.") || f.name.ends_with(".level") || i.get(f) == 0) continue;
    if (n-- != 0) continue;
    return {&f, field_named(i.opcode(), std::string(f.name) + ".level")};
  }
  return {nullptr, nullptr};
}

void put(darwinn::Bitstream& b, size_t word, size_t bit, unsigned width, uint64_t value) {
  set_bits(std::span(b.data).subspan(word * kWordBytes), bit, width, value);
}

// False: there is no such level.
bool shift(darwinn::Bitstream& b, size_t word, const FieldInfo& f, size_t element, int by) {
  const Instruction i = instruction_at(b, word);
  const auto level = static_cast<int64_t>(i.get(f, element)) + by;
  if (level < 0 || level >= (int64_t{1} << f.width)) return false;
  put(b, word, f.bit_of(element), f.width, static_cast<uint64_t>(level));
  return true;
}

bool change(darwinn::Executable& e, const Place& p, Change c) {
  darwinn::Bitstream& b = e.bitstreams[p.chunk];
  const Instruction i = instruction_at(b, p.word);
  if (p.wait) {
    const FieldInfo& start = *field_named(i.opcode(), "wait.start");
    const FieldInfo& level = *field_named(i.opcode(), "wait.level");
    const int by = c == Change::start_lower || c == Change::wait_level_lower ? -1 : 1;
    if (c == Change::wait_level_lower || c == Change::wait_level_higher) {
      return shift(b, p.word, level, p.watcher.element, by);
    }
    put(b, p.word, start.bit_of(p.watcher.element), start.width,
        static_cast<uint64_t>(p.watcher.start + by));
    return true;
  }
  const auto [enable, level] = producer_fields(i, p.producer);
  if (enable == nullptr || level == nullptr) return false;
  if (c != Change::count_removed) {
    return shift(b, p.word, *level, 0, c == Change::count_level_lower ? -1 : 1);
  }
  put(b, p.word, enable->bit, 1, 0);
  return true;
}

darwinn::Executable& inference_of(Package& package) {
  const darwinn::Executable* inference = package.inference();
  return package.executables[static_cast<size_t>(inference - package.executables.data())];
}

using RaceKey = std::tuple<RaceKind, Memory, uint32_t, uint32_t>;

struct Expected {
  std::vector<Bytes> outputs;
  std::set<RaceKey> races;  // that the unchanged program has
};

RaceKey key_of(const Race& r) { return {r.kind, r.memory, r.step, r.other}; }

// What a changed program shows; nothing: it ends with the same bytes and without a race.
std::optional<FaultOutcome> shown(const Package& package, const std::vector<ByteSpan>& inputs,
                                  const Expected& expected, std::optional<uint64_t> seed) {
  SyncOptions options;
  options.seed = seed;
  options.races = true;
  options.every_place = true;
  auto made = SyncMachine::make(package, options);
  if (!made.ok()) return FaultOutcome::standstill;
  const auto ran = made->run(inputs);
  if (!ran.ok() || made->report().standstill) return FaultOutcome::standstill;
  for (const Race& r : made->report().races) {
    if (!expected.races.contains(key_of(r))) return FaultOutcome::race;
  }
  if (*ran != expected.outputs) return FaultOutcome::bytes;
  return std::nullopt;
}

// The counter's engine, where it is one of a tile.
std::optional<size_t> counting_engine(CounterId counter) {
  const std::string_view by = counted_by(counter);
  for (size_t k = 0; k < kTileEngines; ++k) {
    if (by == tile_engine_name(k)) return k;
  }
  return std::nullopt;
}

// Further orders, most of them such as the change needs to show: the engine that waits less
// hurries, or the one that counts more is left behind.
bool shown_by_force(const Package& package, const std::vector<ByteSpan>& inputs,
                    const Expected& expected, const Place& p) {
  const Instruction i = instruction_at(package.inference()->bitstreams[p.chunk], p.word);
  constexpr uint64_t kFirst = 3, kLast = 14;
  for (uint64_t seed = kFirst; seed <= kLast; ++seed) {
    SyncOptions options;
    options.seed = seed;
    options.every_place = true;
    const size_t engine = tile_engine(i.opcode());
    if (seed % 3 == 0 && p.wait) options.hurried = engine;
    if (seed % 3 == 1) options.starved = p.wait ? counting_engine(p.watcher.counter) : engine;
    auto made = SyncMachine::make(package, options);
    if (!made.ok()) return true;
    const auto ran = made->run(inputs);
    if (!ran.ok() || made->report().standstill || *ran != expected.outputs) return true;
  }
  return false;
}

std::optional<FaultOutcome> shown(const Package& package, const std::vector<ByteSpan>& inputs,
                                  const Expected& expected) {
  for (const std::optional<uint64_t> seed :
       {std::optional<uint64_t>(), std::optional<uint64_t>(1), std::optional<uint64_t>(2)}) {
    if (const auto outcome = shown(package, inputs, expected, seed)) return outcome;
  }
  return std::nullopt;
}

FaultOutcome why_nothing(const Package& original, const Package& changed, const Place& p,
                         const std::vector<ByteSpan>& inputs, const Expected& expected) {
  const auto before = plan_at(*original.inference(), p.chunk, p.word);
  const auto after = plan_at(*changed.inference(), p.chunk, p.word);
  if (before.ok() && after.ok()) {
    const Effect effect = effect_of(**before, **after);
    if (effect == Effect::none) return FaultOutcome::same;
    if (effect == Effect::later) return FaultOutcome::later;
  }
  return shown_by_force(changed, inputs, expected, p) ? FaultOutcome::missed
                                                      : FaultOutcome::implied;
}

std::string place_text(const Package& package, const Place& p, Change c) {
  const Instruction i = instruction_at(package.inference()->bitstreams[p.chunk], p.word);
  std::string text = std::string(change_name(c)) + ": " + std::string(i.info->name) + ", chunk " +
                     std::to_string(p.chunk) + ", word " + std::to_string(p.word);
  if (p.wait) return text + ", wait for " + std::string(name(p.watcher.counter));
  return text + ", counts " + std::string(name(producers_of(i)[p.producer].counter));
}

uint64_t draw(uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33U;
}

}  // namespace

std::string_view name(FaultOutcome outcome) {
  switch (outcome) {
    case FaultOutcome::race:
      return "race";
    case FaultOutcome::standstill:
      return "standstill";
    case FaultOutcome::bytes:
      return "different bytes";
    case FaultOutcome::same:
      return "no change at any place";
    case FaultOutcome::later:
      return "only later";
    case FaultOutcome::implied:
      return "still in order";
    case FaultOutcome::missed:
      return "missed";
  }
  return "";
}

Result<std::vector<PlantedFault>> plant_faults(const Package& original,
                                               const std::vector<ByteSpan>& inputs, size_t number,
                                               uint64_t seed) {
  // Without the races of short lines, so that all that is seen is planted.
  EDGETWIN_TRY_ASSIGN(const Package package, with_exact_lines(original));
  SyncOptions options;
  options.races = true;
  options.every_place = true;
  Expected expected;
  for (const std::optional<uint64_t> order :
       {std::optional<uint64_t>(), std::optional<uint64_t>(1), std::optional<uint64_t>(2)}) {
    options.seed = order;
    EDGETWIN_TRY_ASSIGN(SyncMachine machine, SyncMachine::make(package, options));
    EDGETWIN_TRY_ASSIGN(expected.outputs, machine.run(inputs));
    for (const Race& r : machine.report().races) expected.races.insert(key_of(r));
  }
  const std::vector<Place> waits = places_in(*package.inference(), true);
  const std::vector<Place> producers = places_in(*package.inference(), false);
  std::vector<PlantedFault> all;
  if (waits.empty() || producers.empty()) return all;
  for (size_t tries = 0; all.size() < number && tries < 20 * number; ++tries) {
    const auto c = static_cast<Change>(draw(seed) % kChanges);
    const auto& places = c < Change::count_removed ? waits : producers;
    const Place& p = places[draw(seed) % places.size()];
    Package changed = package;
    if (!change(inference_of(changed), p, c)) continue;
    const auto outcome = shown(changed, inputs, expected);
    all.push_back({std::string(change_name(c)), place_text(package, p, c),
                   outcome ? *outcome : why_nothing(package, changed, p, inputs, expected)});
  }
  return all;
}

}  // namespace edgetwin::edgetpu::sync
