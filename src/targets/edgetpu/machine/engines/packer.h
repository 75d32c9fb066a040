// How n2w makes lines of words.
#pragma once

#include <cstring>
#include <vector>

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {

inline constexpr size_t kPackedLine = static_cast<size_t>(kWideLineBytes);
inline constexpr size_t kPackedWords = kPackedLine / 4;

// Where words of narrow memory stand in a line: one after the other, a word for a lane; or each
// byte (half) of a word is a lane of its own, and the innermost level tells which byte (half) of
// it.
class Packer {
 public:
  Packer(const Step& s, size_t lines) : planes_(s.planes), data_(lines * kPackedLine) {}
  // `word`: its number since the line's beginning; `innermost`: places of the innermost level.
  void put(size_t line, size_t word, size_t innermost, const std::byte* from) {
    if ((line + 1) * kPackedLine > data_.size()) return;
    std::byte* to = data_.data() + line * kPackedLine;
    if (planes_ == 1) {
      if (word < kPackedWords) std::memcpy(to + word * 4, from, 4);
      return;
    }
    const size_t size = 4 / planes_;  // of an element
    const size_t plane = word % innermost;
    const size_t lane = word / innermost * planes_;
    if (plane >= planes_ || lane + planes_ > kPackedWords) return;
    for (size_t k = 0; k < planes_; ++k) {
      std::memcpy(to + (lane + k) * 4 + plane * size, from + k * size, size);
    }
  }
  const Bytes& data() const { return data_; }
  Bytes take() { return std::move(data_); }

 private:
  size_t planes_;
  Bytes data_;
};

// The words that n2w reads, with a pass for each that begins a new line.
Generator words_by_line(const Step& s);
// Words of the passes; the last one of a level may have a shorter innermost one.
std::vector<size_t> words_of_passes(const Generator& words);
// What n2w leaves as passes of `size` bytes.
std::vector<SentBytes> passes_of_lines(Bytes data, size_t size);
// What w2n leaves as passes of words; those that are dropped are in `data` still.
std::vector<SentBytes> passes_of_words(const Step& s, const SentBytes& data);
// Words of each line that n2w writes.
std::vector<size_t> words_of_lines(const Step& s);

}  // namespace edgetwin::edgetpu::machine
