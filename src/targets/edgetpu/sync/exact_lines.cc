// Short lines through the receivers' buffers: what their waits would have to be.
#include <bit>

#include "targets/edgetpu/sync/executor.h"
#include "targets/edgetpu/sync/passes.h"

namespace edgetwin::edgetpu::sync {
namespace {

// Words of a tile since the counter was set, and of the last two copies.
struct Words {
  int64_t all = 0, last = 0, before = 0;
};

int64_t words_counted(const Instruction& i) {
  const Generator g = decode_generator(i, GeneratorKind::words_written);
  for (const CountProducer& p : producers_of(i)) {
    if (p.counter != TileCounter::wide_to_narrow) continue;
    return p.level == 0 ? static_cast<int64_t>(g.count(kMostPlaces))
                        : static_cast<int64_t>(passes_of(g, p.level).end.size());
  }
  return 0;
}

bool takes_one(const Instruction& i) {
  return decode_generator(i, GeneratorKind::lines).count(2) == 1;
}

}  // namespace

// A copy stands before the receiver whose line it takes.
std::map<size_t, int32_t> exact_starts(const std::vector<Item>& items) {
  std::map<size_t, int32_t> starts;
  std::array<Words, kTiles> words{};
  for (const Item& item : items) {
    const Instruction& i = item.instruction;
    const Opcode o = i.opcode();
    const bool resets = o == Opcode::tile_sync && i.get("value") == 0 &&
                        ((i.get("set") >> static_cast<size_t>(TileCounter::wide_to_narrow)) & 1U);
    const int64_t counted = o == Opcode::wide_to_narrow ? words_counted(i) : 0;
    for (size_t t = 0; t < words.size(); ++t) {
      if (!machine::has_tile(item.tiles, t)) continue;
      if (resets) words.at(t) = {};
      if (counted == 0) continue;
      words.at(t) = {words.at(t).all + counted, counted, words.at(t).last};
    }
    const bool receives = o == Opcode::ring_receive || o == Opcode::ring_receive1;
    if (!receives || item.tiles == 0 || !takes_one(i)) continue;
    const Words& w = words.at(static_cast<size_t>(std::countr_zero(item.tiles)));
    for (const Watcher& watcher : watchers_of(i)) {
      if (watcher.counter != TileCounter::wide_to_narrow) continue;
      const auto exact = static_cast<int32_t>(w.all - w.last - w.before);
      starts[item.step] = std::max(watcher.start, exact);
    }
  }
  return starts;
}

}  // namespace edgetwin::edgetpu::sync
