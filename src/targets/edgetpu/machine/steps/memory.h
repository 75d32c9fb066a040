// What a tile keeps: narrow memory, wide memory, and the passes of buffers that one engine fills
// while another empties them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/memory/zeroed.h"
#include "numerics/edgetpu/table.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/nest.h"
#include "targets/edgetpu/program/engine_fields.h"

namespace edgetwin::edgetpu::machine {

inline constexpr int64_t kWideLines = 2080;  // the highest line that a known program names is 2079
inline constexpr int64_t kQuarterBytes = 64;
inline constexpr int64_t kWideBytes = kWideLines * kWideLineBytes;

using SharedBytes = std::shared_ptr<const Bytes>;

// What went out or lies in a buffer: bytes of its own or shared ones, or a part of what outlives
// the run. None of them change.
class SentBytes {
 public:
  SentBytes() = default;
  SentBytes(SharedBytes own) : own_(std::move(own)), bytes_(*own_), there_(true) {}  // NOLINT
  static SentBytes part_of(ByteSpan bytes) {
    SentBytes sent;
    sent.bytes_ = bytes;
    sent.there_ = true;
    return sent;
  }
  SentBytes part(size_t first, size_t size) const {
    SentBytes sent = *this;
    sent.bytes_ = bytes_.subspan(first, size);
    return sent;
  }
  // Takes those after its end too; false, and nothing is done, where they do not stand there.
  bool extend(const SentBytes& after);
  bool operator==(std::nullptr_t) const { return !there_; }
  const ByteSpan& operator*() const { return bytes_; }
  const ByteSpan* operator->() const { return &bytes_; }

 private:
  SharedBytes own_;
  ByteSpan bytes_;
  bool there_ = false;
};

// Bytes one after the other: as they stand where they stand so, else copied together.
class JoinedBytes {
 public:
  explicit JoinedBytes(size_t expected) : expected_(expected) {}
  void add(const SentBytes& part);
  // As many as that: cut off, or zeros after them.
  void resize(size_t size);
  SentBytes take();

 private:
  void copy();
  SentBytes there_;
  Bytes copied_;
  bool is_copied_ = false;
  size_t expected_;
};

// Who empties a buffer. A pass is for one reader, whichever engine that is; of a header of scales,
// biases and zero points w2n takes the first two and the tensor instruction the last.
enum class Reader : uint8_t { once, zero_points };

// What one instruction fills, in all tiles the same.
using SharedPasses = std::shared_ptr<const std::vector<SentBytes>>;

inline SharedPasses shared_passes(std::vector<SentBytes> passes) {
  return std::make_shared<const std::vector<SentBytes>>(std::move(passes));
}

// Two buffers of `distance` places from `start` on, used in turn. The hardware lets the filling
// engine wait until a buffer is free; here all passes are kept, and each reader puts a pass into
// memory when it comes to it, which gives the same values for every interleaving.
class Stream {
 public:
  Stream(int64_t start, int64_t distance) : start_(start), distance_(distance) {}
  bool is(int64_t start, int64_t distance) const {
    return start_ == start && distance_ == distance;
  }
  bool holds(int64_t place, int64_t distance) const {
    return distance_ == distance && place >= start_ && place < start_ + 2 * distance_;
  }
  int64_t offset(int64_t place) const { return (place - start_) % distance_; }
  void push(SharedPasses several);
  // The next pass is the first of those that one instruction fills.
  void begin_group() { groups_.push_back(size_); }
  // The reader leaves what it has not read of a group and goes on to the next one; false: there is
  // none yet.
  bool to_group(Reader reader, int64_t place);
  size_t waiting(Reader reader, int64_t place) const;
  const SentBytes& next(Reader reader, int64_t place);

 private:
  struct Part {
    size_t first = 0;  // number of its first pass
    SharedPasses passes;
  };
  const SentBytes& pass(size_t number) const;
  size_t& position(Reader reader, int64_t place) { return positions_[{reader, offset(place)}]; }
  int64_t start_, distance_;
  std::vector<Part> parts_;
  size_t size_ = 0;             // of all parts
  std::vector<size_t> groups_;  // their first passes, ascending
  std::map<std::pair<Reader, int64_t>, size_t> positions_;
};

class Streams {
 public:
  Stream& at(int64_t start, int64_t distance);  // made where there is none
  // The stream that begins at the place; null: there is none. Lines next to each other are often
  // two streams of one line each.
  Stream* find(int64_t place, int64_t distance);
  // The same, or the one that was last made or filled of those that hold the place: an input may be
  // read from the middle of its buffer on.
  Stream* holding(int64_t place, int64_t distance);
  void clear() { all_.clear(); }

 private:
  std::vector<std::unique_ptr<Stream>> all_;  // the latest last
};

// Biases or scales of the following tensor instructions: `count` sets of `channels` numbers.
struct ChannelNumbers {
  size_t channels = 0, count = 0;
  std::vector<uint32_t> bits;
  const uint32_t* set(size_t index) const { return bits.data() + index * channels; }
};

// Zeros at first.
class TileMemory {
 public:
  explicit TileMemory(int64_t size)
      : TileMemory(zeroed_bytes(static_cast<size_t>(size)), 0, size) {}
  // `size` bytes from `first` on.
  TileMemory(const std::shared_ptr<std::byte>& block, int64_t first, int64_t size)
      : bytes_(block, block.get() + first), size_(static_cast<size_t>(size)) {}
  size_t size() const { return size_; }
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::byte& operator[](size_t at) { return data()[at]; }
  const std::byte& operator[](size_t at) const { return data()[at]; }

 private:
  std::shared_ptr<std::byte> bytes_;
  size_t size_;
};

inline constexpr int64_t kTileBytes = kNarrowBytes + kWideBytes;

struct Tile {
  // Its memories are kTileBytes of the block.
  Tile(const std::shared_ptr<std::byte>& block, int64_t first)
      : narrow(block, first, kNarrowBytes), wide(block, first + kNarrowBytes, kWideBytes) {}

  TileMemory narrow, wide;
  Streams narrow_streams;  // places are words
  // Places are lines. The same lines may be used for what comes from the ring and for what leaves
  // narrow memory.
  Streams wide_streams, leaving_streams;
  Streams header_streams;  // of lines that a ring receiver puts apart
  // Words that came through the mesh into a buffer of fewer places, and go on in another direction:
  // by the buffer's first word, instruction after instruction.
  std::map<int64_t, std::deque<std::vector<uint32_t>>> relayed;
  ChannelNumbers biases, scales;
  std::shared_ptr<const numerics::edgetpu::FunctionTable> function;  // null: none that is known
};

// All tiles, in one block of memory.
std::vector<Tile> make_tiles();

}  // namespace edgetwin::edgetpu::machine
