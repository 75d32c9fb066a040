// The tile array while a program runs. Each function executes one instruction, or says that what
// it needs is not there yet.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/machine/steps/memory.h"
#include "targets/edgetpu/machine/steps/step.h"

namespace edgetwin::edgetpu::machine {

struct MachineLimits {
  uint64_t places = 4'000'000'000;       // visited by all address generators of one program
  uint64_t one = 20'000'000;             // by one of them
  uint64_t memory = uint64_t{4} << 30U;  // bytes in buffers and queues
  uint64_t repeats = 200'000;            // instructions that the scalar core comes to once more
};

inline void append(Bytes& to, ByteSpan data) {
  const size_t end = to.size();
  to.resize(end + data.size());
  std::memcpy(to.data() + end, data.data(), data.size());
}

enum class Progress : uint8_t { done, waits };

// What goes between the tiles of a row or column: a queue for each direction and receiving tile.
class MeshQueue {
 public:
  size_t size() const { return words_.size() - taken_; }
  // Room for `count` words more, to be filled.
  uint32_t* push(size_t count) {
    if (taken_ == words_.size()) {
      words_.clear();
      taken_ = 0;
    }
    words_.resize(words_.size() + count);
    return words_.data() + words_.size() - count;
  }
  // The first of `count` words, which leave; there until the next push().
  const uint32_t* take(size_t count) {
    taken_ += count;
    return words_.data() + taken_ - count;
  }

 private:
  std::vector<uint32_t> words_;
  size_t taken_ = 0;
};

// Bytes of an input that the program itself has sent before: the host kept them meanwhile.
struct Returned {
  size_t input = 0;   // transfer of activations
  uint64_t sent = 0;  // first of them among all bytes that go to the host
  uint64_t at = 0;    // where they stand in the input
  uint64_t length = 0;
};

struct Core {
  std::vector<Tile> tiles = make_tiles();
  MachineLimits limits;
  bool plain = false;  // iterations one after the other, also where rows of them would do
  uint64_t places = 0, memory = 0;
  std::array<std::array<MeshQueue, kTiles>, 4> mesh;  // by direction and receiver
  // Of the program that runs.
  std::string program;  // for messages
  const darwinn::Executable* executable = nullptr;
  Steps steps;
  ByteSpan parameters;
  std::vector<Bytes> inputs;  // one per transfer of activations
  std::vector<Returned> returned;
  Bytes sent;  // the first bytes that went to the host, as far as they had to be known

  // Of a new program: memories keep their contents, queues and function tables are empty.
  // `e` and `parameters_of` must outlive the run.
  void begin(const darwinn::Executable& e, std::string name, Steps of, ByteSpan parameters_of);

  Error error(ErrorCode code, std::string what, const Step& step) const;
  Status charge_places(uint64_t n, const Step& step);
  Status charge_memory(uint64_t bytes, const Step& step);
  // All places of the generator within 0 <= place, place + size <= limit.
  Status check(const Generator& g, int64_t size, int64_t limit, const Step& step);
};

// host.cc: puts what comes back into the input that the step takes; false: it was not sent yet.
Result<bool> bring_back(Core& core, const Step& step);
// ring.cc
Result<Progress> run_param(Core& core, Step& step);
Result<Progress> run_ring_send(Core& core, Step& step);
Result<Progress> run_ring_receive(Core& core, Step& step);
Result<Progress> run_outfeed(Core& core, Step& step);
// copy.cc
// `count` lines of wide memory, one after the other.
Bytes lines_of(const Tile& t, const Generator& g, uint64_t count);
// Whether w2n writes words of narrow memory itself: one pass of a buffer is as good as its place.
bool in_place(const Step& step);
Result<Progress> run_narrow_to_wide(Core& core, Step& step);
Result<Progress> run_wide_to_narrow(Core& core, Step& step);
// tensor.cc
Result<Progress> run_tensor(Core& core, Step& step);
// function.cc
Result<Progress> run_table(Core& core, Step& step);
// resize.cc
Result<Progress> run_resize(Core& core, Step& step);
// mesh.cc: moves of one direction that run together; false, and nothing is done, where some of them
// wait for words that others would send.
Result<bool> run_moves(Core& core, const std::vector<Step*>& group);

}  // namespace edgetwin::edgetpu::machine
