// What the replay of a program knows when it reaches an instruction: memories whose words have
// owners, what was fetched from them, and the stages found so far. The replay_*, stage_* and
// selection_* functions advance it.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "targets/edgetpu/decompile/replay/double_buffers.h"
#include "targets/edgetpu/decompile/replay/host_transfers.h"
#include "targets/edgetpu/decompile/replay/loop.h"
#include "targets/edgetpu/decompile/replay/replay.h"
#include "targets/edgetpu/decompile/stages/wide_lines.h"

namespace edgetwin::edgetpu {

// By parameters, or by a matrix of zeros and ones.
constexpr bool multiplies(StageKind kind) {
  return kind == StageKind::conv || kind == StageKind::depthwise || kind == StageKind::selection;
}

// A copy of narrow memory into wide memory.
struct Fetch {
  size_t step = 0;
  std::array<Votes, kTiles> votes;
  std::vector<Origin> words;
  int64_t count = 0;
  std::vector<TileWords> made;  // none: too many are remembered
  std::vector<uint32_t> patterns;
  std::map<size_t, ResidentPart> resident;
  std::vector<int32_t> nodes;  // inside of a loop: of the lowest tile
  bool sent = false;
  bool before_last_tensor = false;
};

struct ReplayState {
  ReplayState(const darwinn::Executable& program, const Resident& waiting, ReplayLimits most);

  Error error(const std::string& message) const;
  // Takes `places` visits from what is left, and checks that all addresses are in memory.
  Status claim(uint64_t places, int64_t lowest, int64_t highest, int64_t size);
  void set(size_t tile, int64_t word, Owner owner, uint32_t value);
  // What stands at a word that is read as word `k` of a pixel of `period` words.
  Origin origin_at(size_t tile, int64_t word, int64_t k, int64_t period);
  // Who computed the word, and where.
  MadeAt made_at(size_t tile, int64_t word) const;
  // Lines are read that fetches filled in these tiles: they do not wait for the host.
  void take_lines(uint32_t tiles, const Traversal& lines);
  bool in_loop() const { return loop && loop->contains(at); }
  // Owner of what the last stage writes.
  Owner last_owner() const;

  const darwinn::Executable& executable;
  const Resident& resident;
  ReplayLimits limits;
  Replay result;
  size_t at = 0;  // step that is looked at
  std::optional<LoopSteps> loop;
  std::vector<MovedRows> moved_rows;  // of the loop
  InputMap input_map;
  HostTransfers host;
  std::vector<Feeder> feeders;

  Narrow narrow;
  WideLines wide;
  std::vector<size_t> moves;  // of the mesh, not yet done
  std::vector<Fetch> fetches;
  bool after_fetch = false;
  std::set<size_t> broadcast;     // fetches that another store's words come from
  std::optional<size_t> product;  // a product whose second operand is still to be fetched
  std::vector<bool> loaded;       // by resident block
  std::set<size_t> data_params;   // steps whose parameters are data
  uint64_t traced_words = 0;      // looked at
  uint64_t remembered_words = 0;  // by stages, of a loop or of functions
  uint64_t read_words = 0;        // that stages remember of their operands
  uint64_t single_words = 0;      // the same of stages without windows
  // An output leaves in parts, which are told by their words: these are counted apart.
  bool parted = false;
  uint64_t fetched_words = 0;
};

}  // namespace edgetwin::edgetpu
