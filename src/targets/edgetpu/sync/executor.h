// The chip as engines that run side by side: every engine of every tile, the ring and the engines
// of the scalar core go on when their waits allow it, in any order, and nothing else orders them.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/machine/engines/packer.h"
#include "targets/edgetpu/machine/engines/row_products.h"
#include "targets/edgetpu/program/trace.h"
#include "targets/edgetpu/sync/clock.h"
#include "targets/edgetpu/sync/plan.h"
#include "targets/edgetpu/sync/shadow.h"
#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::edgetpu::sync {

// By step and tile: the w2n that brings the scales and the biases which a tensor instruction takes.
using NumberLinks = std::vector<std::array<std::array<size_t, 2>, kTiles>>;
NumberLinks link_numbers(const std::vector<Step>& list);

// What the scalar core comes to.
struct Item {
  Instruction instruction;
  size_t step = kNone;  // of Core::steps, where an engine does it
  uint32_t tiles = 0;
  size_t infeed = kNone;
};

// Words or lines on their way, and when they left.
struct MeshChunk {
  std::vector<uint32_t> words;
  size_t taken = 0;
  Stamp stamp;
};
struct RingChunk {
  std::shared_ptr<const Bytes> lines;  // of 256 bytes
  size_t taken = 0, count = 0;
  Stamp stamp;
};
// What one ring.send gives to the outfeed, or one outfeed to a param.
struct Delivery {
  size_t step = kNone, tile = 0;
  uint64_t total = 0;
  Bytes bytes;
  std::vector<std::pair<uint64_t, Stamp>> arrived;  // so many bytes, when
  uint64_t taken = 0;
};

// A tensor instruction at work, by its rows.
struct RowWork {
  RowWork(const StepPlan& plan, machine::Tile& t);
  machine::RowProducts products;
  std::vector<Address> in, weight;  // where the rows of a part begin
  bool spread = true;  // parts are whole outputs, or whole rows of outputs that end together
};

// An engine's instruction at work.
struct Work {
  size_t item = 0;
  std::shared_ptr<StepPlan> plan;
  std::array<size_t, 2> part{};
  uint32_t turn_a = 0, turn_b = 0, turn_weight = 0, turn_header = 0;
  // Between the two sides of n2w and w2n.
  Bytes data;
  std::shared_ptr<Delivery> returned;  // outfeed: to the parameter engine
  std::optional<machine::Packer> packer;
  std::vector<std::pair<uint32_t, Stamp>> passed;  // places of side A that are done
  // Tensor.
  std::vector<int32_t> sums;
  std::array<int32_t, machine::kMostLanes> zero{};
  std::unique_ptr<RowWork> rows;
  size_t set = kNone;
  uint64_t headers = 0;  // ring.receive: that came
};

struct TileState {
  struct Issued {
    size_t item = 0;
    Stamp stamp;
  };
  std::deque<Issued> stream;
  std::array<std::deque<Issued>, kTileEngines> queue;
  std::array<std::optional<Work>, kTileEngines> work;
  std::array<CounterLine, kTileCounters> counter;
  std::array<int64_t, 2> ring_base{};  // of the two ring counters
  std::deque<Stamp> told;
  Stamp order;  // of the last tsync
  // How often two buffers took turns since a tsync waited for the engine: by engine, side, start,
  // distance.
  std::map<std::tuple<size_t, size_t, int64_t, int64_t>, uint32_t> turns;
  // Two sets of scales and two of biases; and by step the set that each line of it went to.
  std::array<std::vector<uint32_t>, 4> numbers;
  std::map<size_t, std::vector<uint8_t>> number_sets;
  std::array<std::deque<MeshChunk>, 4> mesh;  // by direction: what arrives
  std::array<std::deque<RingChunk>, 2> ring;  // by receiver
};

// By step: what a ring receiver of one line waits for on WIDE_TO_NARROW, if lines count as the
// words that they hold.
std::map<size_t, int32_t> exact_starts(const std::vector<Item>& items);
std::string describe_item(const Item& item);
class Executor;
std::optional<Standstill> standstill_of(const Executor& executor);

class Executor {
 public:
  Executor(Core& core, const std::vector<Item>& items, const SyncOptions& options);
  // As far as it goes. Errors: those of the engines.
  Status run();
  // Who waits for what; nothing: the program came to its end.
  const std::optional<Standstill>& standstill() const { return standstill_; }

  std::vector<Race> races() const { return shadow_ ? shadow_->races() : std::vector<Race>(); }
  RaceCounts race_counts() const { return shadow_ ? shadow_->counts() : RaceCounts(); }
  const std::vector<Busy>& busy() const { return busy_; }
  int64_t end_time() const;

 private:
  friend std::optional<Standstill> standstill_of(const Executor& e);
  using Access = Shadow::Access;

  // executor.cc
  Result<bool> advance(size_t process);
  Result<bool> lane(size_t tile, size_t engine, size_t side);
  Result<bool> start_work(size_t tile, size_t engine);
  Result<bool> part_of(size_t tile, size_t engine, size_t side, Work& w);
  bool dispatch(size_t tile);
  void set_counters(size_t tile, const Instruction& tsync);
  bool waits(size_t lane);
  const Need* unmet_need(size_t tile, const SidePlan& side, size_t part) const;
  void join_needs(size_t tile, const SidePlan& side, size_t part, Lane& lane);
  bool reached(size_t tile, const Need& need) const;
  const Stamp& when(size_t tile, const Need& need) const;
  void join_stamp(Lane& into, const Stamp& stamp) const;
  Stamp stamp_of(const Lane& lane) const;
  // Of a lane that has just ended a part.
  Stamp stamp_behind(size_t lane) const;
  void raise(size_t tile, const Count& count, const Stamp& stamp);
  uint32_t take_turns(size_t tile, size_t engine, size_t side, const SidePlaces& places);
  void end_part(size_t tile, size_t lane, size_t side, Work& w, Lane& l, double cost);
  void note_busy(size_t lane, uint32_t item, int64_t ready, int64_t begin, int64_t end);
  Access access(size_t tile, size_t engine, size_t side, const Work& w) const;
  void wake(size_t process) {
    if (awake_[process] != 0) return;
    awake_[process] = 1;
    list_.push_back(process);
  }
  void wake_tile(size_t tile);
  void wake_core();
  void wake_all();
  size_t next_process();
  void draw_priorities();

  // copies.cc: false: data are missing.
  bool n2w_part(size_t tile, size_t side, Work& w, Lane& l);
  bool w2n_part(size_t tile, size_t side, Work& w, Lane& l);
  bool move_part(size_t tile, size_t engine, size_t side, Work& w, Lane& l);
  void note_write(const Access& access, const machine::Tile& memory, int64_t word, uint32_t value);
  void put_numbers(size_t tile, const Work& w, uint32_t begin, uint32_t end, const Access& access);
  void start_numbers(size_t tile, const Work& w);
  void hold_lines(const Work& w, uint32_t first, uint32_t behind, const Access& access);
  void join_passed(const Work& w, uint32_t places, Lane& l) const;
  // tensor.cc
  Result<bool> tensor_part(size_t tile, Work& w, Lane& l);
  void begin_block(size_t tile, Work& w, size_t output, int lanes, const Access& access);
  void finish_output(const Access& access, const machine::TensorIteration& it,
                     machine::Tile& memory, size_t output, const int32_t* sums, int lanes);
  using NumberSets = std::array<const std::vector<uint8_t>*, 2>;
  NumberSets number_sets(size_t tile, const Work& w) const;
  static std::array<size_t, 2> slots_of(const NumberSets& sets, size_t output, size_t outputs);
  void note_numbers(const std::array<size_t, 2>& slots, const Access& access);
  void load_numbers(size_t tile, const std::array<size_t, 2>& slots, const Access& access);
  void load_zeros(size_t tile, Work& w, size_t output, int lanes, const Access& access);
  // tensor_rows.cc: false, and nothing is done: iterations are to be taken one after the other.
  bool tensor_rows(size_t tile, Work& w, uint32_t begin, uint32_t end, const Access& access);
  void begin_rows(const Work& w, size_t first, size_t count) const;
  void note_reads(const Work& w, const Access& access);
  void part_of_block(size_t tile, Work& w, uint32_t begin, uint32_t end, const Access& access);
  void whole_blocks(size_t tile, Work& w, size_t first, size_t last, const Access& access);
  int lanes_of(const Work& w, size_t output) const;
  void start_rows(size_t tile, Work& w, size_t output, size_t sum, int lanes);
  void multiply_rows(const Work& w, size_t first, size_t count, size_t sum) const;
  void finish_rows(size_t tile, const Work& w, size_t first, size_t outputs, const Access& access);
  // ring.cc
  bool send_part(size_t tile, Work& w, Lane& l);
  bool receive_part(size_t tile, size_t engine, Work& w, Lane& l);
  uint64_t lines_waiting(size_t tile, size_t receiver) const;
  void take_line(size_t tile, size_t receiver, std::byte* to, Lane& l);
  void give_outfeed(size_t tile, const Work& w, const Bytes& lines, const Stamp& stamp);
  // scalar_core.cc
  Result<bool> scalar();
  void issue(const Item& item);
  bool may_pass(const Instruction& sync) const;
  void pass(const Instruction& sync);
  Result<bool> core_engine(CoreEngine engine);
  Result<bool> core_part(CoreEngine engine, Work& w, Lane& l);
  Result<bool> param_part(Work& w, Lane& l, uint32_t begin, uint32_t end);
  bool outfeed_part(Work& w, Lane& l, uint32_t begin, uint32_t end);
  bool core_idle(CoreEngine engine) const;
  // standstill.cc
  std::string reason_of(size_t tile, const Work& w, size_t side) const;
  std::string wait_reason(size_t tile, const Need& need) const;
  std::string sync_reason(const Instruction& sync) const;

  Core& core_;
  const std::vector<Item>& items_;
  SyncOptions options_;
  std::unique_ptr<Shadow> shadow_;
  std::vector<Lane> lanes_ = std::vector<Lane>(kLanes);
  std::vector<TileState> tiles_ = std::vector<TileState>(static_cast<size_t>(kTiles));
  std::array<CounterLine, 2> ring_;  // PRODUCER_A, _B
  std::array<int64_t, 2> scalar_ring_base_{};
  std::array<CounterLine, kScalarCounters> scalar_;
  size_t next_ = 0;  // item that the scalar core comes to
  std::array<std::deque<TileState::Issued>, kCoreEngines> core_queue_;
  std::array<std::optional<Work>, kCoreEngines> core_work_;
  std::deque<Delivery> to_outfeed_;
  std::deque<std::shared_ptr<Delivery>> to_param_;
  uint64_t outfeeds_done_ = 0, tried_at_ = ~uint64_t{0};
  std::vector<std::shared_ptr<StepPlan>> plans_;  // by step, while tiles need it
  std::vector<uint8_t> users_;
  NumberLinks links_;
  std::map<size_t, int32_t> exact_;
  std::vector<Busy> busy_;
  std::vector<size_t> last_busy_ = std::vector<size_t>(kLanes, kNone);  // by lane
  int64_t ready_ = 0;  // when the lane at work could have begun, but for its waits
  std::optional<Standstill> standstill_;
  // Processes that may go on.
  std::vector<uint8_t> awake_;
  std::vector<const Need*> unmet_;  // by lane: what it waited for when it was tried last
  std::vector<size_t> list_;
  std::vector<uint32_t> priority_;
  uint64_t random_ = 0;
};

}  // namespace edgetwin::edgetpu::sync
