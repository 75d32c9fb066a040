// When which engine of the chip worked and waited, by layer: from a run with SyncOptions::timeline.
// Times are those of the cost model (targets/edgetpu/sync/cost.def), not measured ones.
#pragma once

#include <string>
#include <vector>

#include "base/json/json.h"
#include "plot/drawing.h"
#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::edgetpu::timed {

// Kinds of engines, as the table and the picture have them.
enum class EngineKind : uint8_t { tensor, ring, to_wide, to_narrow, mesh, host };
inline constexpr size_t kEngineKinds = 6;
std::string_view name(EngineKind kind);

struct EngineTime {
  int64_t busy = 0;     // steps, of the tile where it is most
  int64_t waiting = 0;  // the same: between what it could have begun and its beginning
};

// A run of tensor instructions with the same numbers, and all that is issued before the next one.
struct LayerTime {
  size_t instructions = 0;
  int64_t begin = 0, end = 0;  // steps since the start of the program
  EngineTime engine[kEngineKinds];
};

struct Timeline {
  int64_t steps = 0;
  std::vector<LayerTime> layers;
  EngineTime engine[kEngineKinds];
};

Timeline timeline_of(const sync::SyncReport& report);
std::string text(const Timeline& timeline);
Json to_json(const Timeline& timeline);
// The Chrome trace format: processes are tiles, threads engines; a step of 2 ns counts as such.
Json chrome_trace(const sync::SyncReport& report);
// Lanes over time: the engines of one tile, and those of the scalar core.
plot::Drawing lanes(const sync::SyncReport& report, size_t tile);

}  // namespace edgetwin::edgetpu::timed
