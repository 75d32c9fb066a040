// Which passes of a picture's rows a tensor instruction reads. A tile that gets one row has it in
// place, one that gets several has them pass after pass, in two buffers in turn.
#include <map>

#include "targets/edgetpu/machine/steps/step.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint64_t kAllPlaces = uint64_t{1} << 40U;

bool loads_input(const Step& s) {
  return s.opcode == Opcode::wide_to_narrow && !s.numbers && s.b.streamed();
}
// One pass is put in place.
bool loads_passes(const Step& s) {
  return loads_input(s) && s.b.count(kAllPlaces) > s.b.pass_places();
}
bool reads_one_pass(const Step& s) {
  return s.nest && s.opcode != Opcode::tensor_resize && s.a.streamed() &&
         s.a.count(kAllPlaces) <= s.a.pass_places();
}

// The buffers of one tile, in the order of the program. An input's first pass is read by the tensor
// instruction before the w2n that brings it, the last one by one after it; what w2n brings beyond
// the last row is left. Inputs that follow each other may have the same buffers.
class TileInputs {
 public:
  TileInputs(std::vector<Step>& list, size_t tile, std::vector<uint32_t>& filled)
      : list_(list), filled_(filled), bit_(1U << tile) {}

  void link() {
    for (const Step& s : list_) {
      if (in_tile(s) && loads_passes(s)) buffers_[key(s)].passes = true;
    }
    for (size_t n = 0; n < list_.size(); ++n) {
      if (!in_tile(list_[n])) continue;
      if (list_[n].nest && list_[n].a.streamed()) {
        read(n);
      } else if (loads_input(list_[n])) {
        load(list_[n]);
      }
    }
  }

 private:
  using Key = std::pair<int64_t, int64_t>;  // first word and distance
  struct Buffer {
    bool passes = false;                    // some w2n of the program brings several
    bool loaded = false, in_place = false;  // by the last w2n
    bool awaits_first = false;              // the last w2n's first pass is for the next reader
    size_t last = kNone, count = 0;         // its readers
  };
  static Key key(const Step& load) { return {load.b.path.start, load.b.stream_by}; }
  bool in_tile(const Step& s) const { return (s.tiles & bit_) != 0; }

  void read(size_t n) {
    Step& s = list_[n];
    const int64_t by = s.a.stream_by / 4;
    for (const int64_t first : {s.a.path.start / 4, s.a.path.start / 4 - by}) {
      Buffer& b = buffers_[{first, by}];
      if (b.passes && !b.in_place && s.a.stream_by % 4 == 0) filled_[n] |= bit_;
      if (b.awaits_first && first == s.a.path.start / 4) {
        s.begins |= bit_;
        b.awaits_first = false;
      }
      b.last = n;
      ++b.count;
    }
  }

  void load(const Step& s) {
    Buffer& b = buffers_[key(s)];
    // Between two of them the readers of the first one's end and of the second one's beginning.
    const bool passes = loads_passes(s);
    const bool begun = passes && b.last != kNone && (!b.loaded || b.count > 1);
    if (begun) {
      list_[b.last].begins |= bit_;
      filled_[b.last] |= bit_;
    }
    // Nobody before it reads its beginning: the next reader does, not the rest of the one before.
    b.awaits_first = passes && !begun && b.count != 0;
    b.loaded = true;
    b.in_place = !passes;
    b.last = kNone;
    b.count = 0;
  }

  std::vector<Step>& list_;
  std::vector<uint32_t>& filled_;
  uint32_t bit_;
  std::map<Key, Buffer> buffers_;
};

}  // namespace

void link_inputs(std::vector<Step>& list) {
  std::vector<uint32_t> filled(list.size());  // tiles in which it reads one of several passes
  for (size_t tile = 0; tile < kTiles; ++tile) TileInputs(list, tile, filled).link();
  for (size_t n = 0; n < list.size(); ++n) {
    Step& s = list[n];
    if (!reads_one_pass(s)) continue;
    s.placed = s.tiles & ~filled[n];
    if (s.placed != s.tiles) continue;
    s.a.stream_by = 0;
    s.a.switch_by = 0;
  }
}

}  // namespace edgetwin::edgetpu::machine
