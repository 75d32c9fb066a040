#include "targets/max78/machine/state/memory.h"

#include <algorithm>

namespace edgetwin::max78 {

DataMemory::DataMemory(const Limits& chip, uint32_t fill)
    : words_(static_cast<uint32_t>(chip.instance_words)) {
  const size_t n = size_t{kInstances} * words_;
  values_.assign(n, fill);
  writers_.assign(n, static_cast<int16_t>(kNobody));
  displaced_.assign(n, static_cast<int16_t>(kNobody));
  read_.assign(n, 0);
  steps_.assign(n, 0);
  items_.assign(n, -1);
}

void DataMemory::write(DataPlace p, uint32_t value, int writer, uint64_t step, int64_t item) {
  const size_t i = at(p);
  const bool lost = writers_[i] != kNobody && read_[i] == 0 && writers_[i] != writer;
  displaced_[i] = lost ? writers_[i] : static_cast<int16_t>(kNobody);
  values_[i] = value;
  writers_[i] = static_cast<int16_t>(writer);
  read_[i] = 0;
  steps_[i] = step;
  items_[i] = item > INT32_MAX ? -1 : static_cast<int32_t>(item);
}

void DataMemory::clear(int first, int count, uint64_t step) {
  for (int i = first; i < first + count; ++i) {
    for (uint32_t w = 0; w < words_; ++w) write({i, w}, 0, kHost, step, -1);
    std::fill_n(&read_[at({i, 0})], words_, uint8_t{1});  // nobody misses a cleared word
  }
}

KernelMemory::KernelMemory(const Limits& chip) {
  for (int p = 0; p < kProcessors; ++p) {
    const auto n = static_cast<size_t>(chip.columns(p));
    of(p).columns.assign(n, Column{});
    of(p).loaded.assign(n, false);
  }
}

bool KernelMemory::loaded(int processor, int64_t column) const {
  const auto& l = of(processor).loaded;
  return column >= 0 && column < static_cast<int64_t>(l.size()) && l[static_cast<size_t>(column)];
}

bool KernelMemory::set_packed(int processor, int column) {
  Processor& p = of(processor);
  p.fill = 0;
  p.next = column;
  return column < columns(processor);
}

bool KernelMemory::write_packed(int processor, uint32_t value) {
  Processor& p = of(processor);
  for (int shift = 24; shift >= 0; shift -= 8) {
    p.packed[static_cast<size_t>(p.fill++)] = static_cast<uint8_t>(value >> shift);
    if (p.fill < kColumnBytes) continue;
    p.fill = 0;
    if (p.next >= columns(processor)) return false;
    p.columns[static_cast<size_t>(p.next)] = p.packed;
    p.loaded[static_cast<size_t>(p.next++)] = true;
  }
  return true;
}

bool KernelMemory::write_word(int processor, int column, int word, uint32_t value) {
  if (column >= columns(processor)) return false;
  Processor& p = of(processor);
  if (word == 0) p.assembled[0] = static_cast<uint8_t>(value);
  if (word == 1 || word == 2) {
    for (size_t i = 0; i < 4; ++i) {
      p.assembled[static_cast<size_t>(word) * 4 - 3 + i] =
          static_cast<uint8_t>(value >> (24 - 8 * i));
    }
  }
  if (word < 3) return true;
  p.columns[static_cast<size_t>(column)] = p.assembled;
  p.loaded[static_cast<size_t>(column)] = true;
  return true;
}

uint32_t KernelMemory::read_word(int processor, int column, int word) const {
  if (column >= columns(processor) || word == 3) return 0;
  const Column& c = of(processor).columns[static_cast<size_t>(column)];
  if (word == 0) return c[0];
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | c[static_cast<size_t>(word) * 4 - 3 + i];
  return value;
}

void KernelMemory::clear(int group) {
  for (int p = group * kGroupProcessors; p < (group + 1) * kGroupProcessors; ++p) {
    std::fill(of(p).columns.begin(), of(p).columns.end(), Column{});
    of(p).loaded.assign(of(p).loaded.size(), true);
  }
}

BiasMemory::BiasMemory(const Limits& chip) : size_(chip.bias_bytes) {
  const size_t n = size_t{kGroups} * static_cast<size_t>(size_);
  bytes_.assign(n, 0);
  loaded_.assign(n, false);
}

void BiasMemory::write(int group, int64_t index, uint8_t byte) {
  bytes_[at(group, index)] = byte;
  loaded_[at(group, index)] = true;
}

void BiasMemory::clear(int group) {
  for (int64_t i = 0; i < size_; ++i) write(group, i, 0);
}

}  // namespace edgetwin::max78
