#include "targets/edgetpu/sync/shadow.h"

#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/machine/steps/memory.h"

namespace edgetwin::edgetpu::sync {
namespace {

constexpr size_t kNumberSets = 4;

size_t size_of(Memory m) {
  if (m == Memory::narrow) return static_cast<size_t>(kNarrowWords);
  return m == Memory::wide ? static_cast<size_t>(machine::kWideLines) : kNumberSets;
}

// The step that the lane was at when its clock had the number.
uint32_t step_at(const Lane& lane, uint32_t number) {
  const auto behind = std::upper_bound(lane.history.begin(), lane.history.end(), number,
                                       [](uint32_t n, const auto& e) { return n < e.first; });
  return behind == lane.history.begin() ? 0 : (behind - 1)->second;
}

}  // namespace

std::string_view name(Memory memory) {
  switch (memory) {
    case Memory::narrow:
      return "word of narrow memory";
    case Memory::wide:
      return "line of wide memory";
    case Memory::numbers:
      return "set of scales or biases";
    case Memory::ring:
      return "turn on ring";
  }
  return "";
}

std::string_view name(RaceKind kind) {
  switch (kind) {
    case RaceKind::read_after_write:
      return "read that nothing orders after the write";
    case RaceKind::write_after_read:
      return "write that nothing orders after the last read";
    case RaceKind::write_after_write:
      return "write that nothing orders after the write before";
  }
  return "";
}

Shadow::Shadow() : stores_(static_cast<size_t>(kTiles) * kMemories) {
  for (size_t n = 0; n < stores_.size(); ++n) {
    const size_t size = size_of(static_cast<Memory>(n % kMemories));
    stores_[n].written.assign(size, 0);
    stores_[n].writer.assign(size, 0);
  }
}

Race& Shadow::found(const Access& a, RaceKind kind, Memory memory, int64_t place, size_t other,
                    uint32_t when) {
  const Lane& lane = (*a.lanes)[a.tile * kTileLanes + other];
  const uint32_t step = step_at(lane, when);
  Race& race = found_[{kind, memory, a.step, step}];
  if (race.count == 0) {
    race.kind = kind;
    race.memory = memory;
    race.step = a.step;
    race.other = step;
    race.place = place;
  }
  race.tiles |= 1U << a.tile;
  ++race.count;
  return race;
}

void Shadow::read(const Access& a, Memory memory, int64_t place) {
  Reading(*this, a, memory).at(place);
}

void Shadow::begin_reads(Store& s, size_t lane) {
  s.read[lane].assign(s.written.size(), 0);
  const auto number = static_cast<uint8_t>(lane);
  s.readers.insert(std::ranges::upper_bound(s.readers, number), number);
}

// A place whose last write nothing orders before.
void Shadow::read_early(const Access& a, Memory memory, int64_t place, uint64_t times) {
  const Store& s = store(a.tile, memory);
  const auto at = static_cast<size_t>(place);
  Race& race = found(a, RaceKind::read_after_write, memory, place, s.writer[at], s.written[at]);
  race.count += times - 1;
}

void Shadow::write(const Access& a, Memory memory, int64_t place,
                   const std::optional<Change>& change) {
  Store& s = store(a.tile, memory);
  const auto at = static_cast<size_t>(place);
  if (at >= s.written.size()) return;
  ++counts_.writes;
  const uint32_t* clock = (*a.lanes)[a.tile * kTileLanes + a.lane].clock.block(a.tile);
  const uint32_t when = s.written[at];
  if (when != 0 && s.writer[at] != a.lane && when > clock[s.writer[at]]) {
    Race& race = found(a, RaceKind::write_after_write, memory, place, s.writer[at], when);
    if (change && change->before == change->after) {
      if (race.unchanged == 0) race.word = change->after;
      race.varied = race.varied || race.word != change->after;
      ++race.unchanged;
    }
  }
  for (const size_t lane : s.readers) {
    // The two sides of one engine go on together.
    if (lane / 2 == a.lane / 2) continue;
    if (s.read[lane][at] > clock[lane]) {
      found(a, RaceKind::write_after_read, memory, place, lane, s.read[lane][at]);
    }
  }
  s.writer[at] = static_cast<uint8_t>(a.lane);
  s.written[at] = a.number;
}

void Shadow::send(const Access& a, size_t ring) {
  Sender& last = sender_.at(ring);
  const size_t lane = a.tile * kTileLanes + a.lane;
  const Lane& me = (*a.lanes)[lane];
  if (last.when != 0 && last.lane != lane && last.when > me.clock[last.lane]) {
    const uint32_t step = step_at((*a.lanes)[last.lane], last.when);
    Race& race = found_[{RaceKind::write_after_write, Memory::ring, a.step, step}];
    if (race.count == 0) {
      race.kind = RaceKind::write_after_write;
      race.memory = Memory::ring;
      race.step = a.step;
      race.other = step;
      race.place = static_cast<int64_t>(ring);
    }
    race.tiles |= 1U << a.tile;
    ++race.count;
  }
  last = {lane, a.number};
}

std::vector<Race> Shadow::races() const {
  std::vector<Race> all;
  for (const auto& [key, race] : found_) all.push_back(race);
  return all;
}

}  // namespace edgetwin::edgetpu::sync
