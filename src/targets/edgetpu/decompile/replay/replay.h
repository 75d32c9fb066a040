// Who wrote what: the program replayed with owners instead of values. Every word of the tiles'
// narrow memory remembers the stage that wrote it last, so that every stage finds out whose
// results it reads.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/decompile/stages/stage.h"
#include "targets/edgetpu/decompile/stages/traces.h"

namespace edgetwin::edgetpu {

// Words that leave for the host.
struct Sent {
  size_t step = 0;
  Votes votes;
  std::vector<Origin> words;    // different ones, in the order in which they leave
  int64_t count = 0;            // of all words
  std::vector<TileWords> made;  // all of them; empty: not remembered
};

struct Replay {
  DecodedProgram steps;
  std::vector<Stage> stages;
  std::vector<Sent> sent;
  std::vector<size_t> unused_resident;  // blocks that no instruction loads
  bool inputs_certain = true;           // origins tell several inputs apart
  std::vector<size_t> requests;         // by number: the input; those after are own results
  // By input: where its words were put into tiles first, tile * kNarrowWords + word. Some twice.
  std::vector<std::vector<int32_t>> input_places;
  // Of copies that pools read: the words of each tile in the order in which they were fetched.
  std::map<size_t, std::vector<TileWords>> fetched;
  Traces traces;
};

struct ReplayLimits {
  uint64_t places = 4'000'000'000;  // of memory, visited in all
};

// Error: decompile_program.
Result<Replay> replay(const darwinn::Executable& executable, const Resident& resident,
                      ReplayLimits limits = {});

}  // namespace edgetwin::edgetpu
