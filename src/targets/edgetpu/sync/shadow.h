// Which engine wrote and read each place of a tile's memories last, so that an access which nothing
// orders behind them is found.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "targets/edgetpu/sync/clock.h"

namespace edgetwin::edgetpu::sync {

// Words of narrow memory, lines of wide memory, sets in the memory of scales and biases; and each
// of the two rings, which one tile after the other sends to.
enum class Memory : uint8_t { narrow, wide, numbers, ring };
std::string_view name(Memory memory);
enum class RaceKind : uint8_t { read_after_write, write_after_read, write_after_write };
std::string_view name(RaceKind kind);

// Accesses of two instructions that no chain of counters orders.
struct Race {
  RaceKind kind = RaceKind::read_after_write;
  Memory memory = Memory::narrow;
  uint32_t step = 0, other = 0;  // the later access as it was executed, and the one before
  uint32_t tiles = 0;
  int64_t place = 0;       // the first: word, line or set
  uint64_t count = 0;      // of accesses
  uint64_t unchanged = 0;  // of them, writes of the word that was there
  uint32_t word = 0;       // the first of those
  bool varied = false;     // others of those are another word
  // Both write the same bytes, so that it does not matter which is the last. Where all words are
  // one number they may be equal by chance.
  bool same_bytes() const { return unchanged == count && varied; }
};

struct RaceCounts {
  uint64_t reads = 0, writes = 0;  // places that were looked at
};

class Shadow {
 public:
  Shadow();
  // An access of a lane of the tile whose clock is `clock`, by step `step`, as its number `number`.
  struct Access {
    const std::vector<Lane>* lanes = nullptr;
    size_t tile = 0, lane = 0;  // lane within the tile
    uint32_t step = 0, number = 0;
  };
  void read(const Access& a, Memory memory, int64_t place);
  class Reading;
  // `before` and `after`: the word of narrow memory, where they are known.
  struct Change {
    uint32_t before = 0, after = 0;
  };
  void write(const Access& a, Memory memory, int64_t place,
             const std::optional<Change>& change = {});
  // A line to a ring, 0 or 1: behind all lines of the sender before.
  void send(const Access& a, size_t ring);
  std::vector<Race> races() const;
  const RaceCounts& counts() const { return counts_; }

 private:
  static constexpr size_t kMemories = 3;
  struct Store {
    std::vector<uint32_t> written;  // number in the writer's clock; 0: not yet
    std::vector<uint8_t> writer;
    std::array<std::vector<uint32_t>, kTileLanes> read;
    std::vector<uint8_t> readers;  // lanes that have read, ascending
  };
  Store& store(size_t tile, Memory memory) {
    return stores_[tile * kMemories + static_cast<size_t>(memory)];
  }
  static void begin_reads(Store& store, size_t lane);
  void read_early(const Access& a, Memory memory, int64_t place, uint64_t times);
  Race& found(const Access& a, RaceKind kind, Memory memory, int64_t place, size_t other,
              uint32_t when);

  std::vector<Store> stores_;
  struct Sender {
    size_t lane = 0;  // of all tiles
    uint32_t when = 0;
  };
  std::array<Sender, 2> sender_;
  std::map<std::tuple<RaceKind, Memory, uint32_t, uint32_t>, Race> found_;
  RaceCounts counts_;
};

// Reads of many places by one access: what they share is looked up once.
class Shadow::Reading {
 public:
  Reading(Shadow& shadow, const Access& a, Memory memory)
      : shadow_(shadow),
        access_(a),
        memory_(memory),
        store_(shadow.store(a.tile, memory)),
        read_(store_.read[a.lane]),
        clock_((*a.lanes)[a.tile * kTileLanes + a.lane].clock.block(a.tile)) {
    if (read_.empty()) shadow.begin_reads(store_, a.lane);
  }
  ~Reading() { shadow_.counts_.reads += count_; }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // So many times, one after the other.
  void at(int64_t place, uint64_t times = 1) {
    const auto n = static_cast<size_t>(place);
    if (n >= store_.written.size()) return;
    count_ += times;
    const size_t writer = store_.writer[n];
    if (store_.written[n] > clock_[writer] && writer != access_.lane) {
      shadow_.read_early(access_, memory_, place, times);
    }
    read_[n] = access_.number;
  }

 private:
  Shadow& shadow_;
  const Access& access_;
  Memory memory_;
  Store& store_;
  std::vector<uint32_t>& read_;
  const uint32_t* clock_;  // of the tile's lanes, as the reader knows them
  uint64_t count_ = 0;
};

}  // namespace edgetwin::edgetpu::sync
