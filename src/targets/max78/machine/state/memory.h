// The memories of the accelerator, and what is known about each word of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "targets/max78/chip/limits.h"
#include "targets/max78/machine/state/events.h"

namespace edgetwin::max78 {

inline constexpr int kInstances = kProcessors / kInstanceProcessors;

// A place in data memory: data memory 0 to 15, and the word in it.
struct DataPlace {
  int instance = 0;
  uint32_t word = 0;
};

class DataMemory {
 public:
  DataMemory(const Limits& chip, uint32_t fill);

  bool inside(DataPlace p) const {
    return p.instance >= 0 && p.instance < kInstances && p.word < words_;
  }
  // All of these only of places inside.
  uint32_t value(DataPlace p) const { return values_[at(p)]; }
  const uint32_t* values(int instance) const { return &values_[at({instance, 0})]; }
  int writer(DataPlace p) const { return writers_[at(p)]; }
  bool was_read(DataPlace p) const { return read_[at(p)] != 0; }
  uint64_t step(DataPlace p) const { return steps_[at(p)]; }
  int64_t item(DataPlace p) const { return items_[at(p)]; }
  // Whose word was there, unread, when this one was written over it; kNobody: nobody's.
  int displaced(DataPlace p) const { return displaced_[at(p)]; }
  void mark_read(DataPlace p) { read_[at(p)] = 1; }
  // `item`: which output word of its writer it is, counted by pixels and passes; -1: none.
  void write(DataPlace p, uint32_t value, int writer, uint64_t step, int64_t item);
  void clear(int first, int count, uint64_t step);  // data memories, by the self test

 private:
  size_t at(DataPlace p) const { return static_cast<size_t>(p.instance) * words_ + p.word; }

  uint32_t words_;
  std::vector<uint32_t> values_;
  std::vector<int16_t> writers_, displaced_;
  std::vector<uint8_t> read_;
  std::vector<uint64_t> steps_;
  std::vector<int32_t> items_;
};

// The kernels of 64 processors: columns of nine bytes.
class KernelMemory {
 public:
  using Column = std::array<uint8_t, kColumnBytes>;

  explicit KernelMemory(const Limits& chip);

  int columns(int processor) const { return static_cast<int>(of(processor).columns.size()); }
  bool loaded(int processor, int64_t column) const;
  const Column& column(int processor, int64_t column) const {
    return of(processor).columns[static_cast<size_t>(column)];
  }
  // Byte `index` of the stream of bytes that fills columns from their last byte to the first.
  uint8_t stream_byte(int processor, int64_t index) const {
    return column(
        processor,
        index / kColumnBytes)[static_cast<size_t>(kColumnBytes - 1 - index % kColumnBytes)];
  }

  // Sets where packed words go. False beyond the columns.
  bool set_packed(int processor, int column);
  // The next four bytes of packed columns. False beyond the last column.
  bool write_packed(int processor, uint32_t value);
  // A word of a column: three of data, the fourth completes it.
  bool write_word(int processor, int column, int word, uint32_t value);
  uint32_t read_word(int processor, int column, int word) const;
  void clear(int group);

 private:
  struct Processor {
    std::vector<Column> columns;
    std::vector<bool> loaded;
    Column packed{};  // being filled
    int fill = 0, next = 0;
    Column assembled{};
  };
  Processor& of(int p) { return processors_[static_cast<size_t>(p)]; }
  const Processor& of(int p) const { return processors_[static_cast<size_t>(p)]; }

  std::array<Processor, kProcessors> processors_;
};

class BiasMemory {
 public:
  explicit BiasMemory(const Limits& chip);

  bool loaded(int group, int64_t index) const {
    return index >= 0 && index < size_ && loaded_[at(group, index)];
  }
  int8_t value(int group, int64_t index) const {
    return static_cast<int8_t>(bytes_[at(group, index)]);
  }
  void write(int group, int64_t index, uint8_t byte);
  void clear(int group);
  int64_t size() const { return size_; }

 private:
  size_t at(int group, int64_t index) const {
    return static_cast<size_t>(group) * static_cast<size_t>(size_) + static_cast<size_t>(index);
  }
  int64_t size_;
  std::vector<uint8_t> bytes_;
  std::vector<bool> loaded_;
};

}  // namespace edgetwin::max78
