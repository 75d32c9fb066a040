#include "targets/edgetpu/machine/engines/packer.h"

namespace edgetwin::edgetpu::machine {

Generator words_by_line(const Step& s) {
  Generator words = s.a;
  words.stream_by = 1;
  words.switch_by = 0;
  words.switch_level = s.flush;
  return words;
}

std::vector<size_t> words_of_passes(const Generator& words) {
  std::vector<size_t> size;
  unroll(words, [&](int64_t /*at*/, uint32_t pass) {
    size.resize(pass + size_t{1});
    ++size[pass];
  });
  return size;
}

std::vector<size_t> words_of_lines(const Step& s) {
  std::vector<size_t> lines;
  for (size_t left : words_of_passes(words_by_line(s))) {
    for (; left > kPackedWords; left -= kPackedWords) lines.push_back(kPackedWords);
    lines.push_back(left);
  }
  return lines;
}

}  // namespace edgetwin::edgetpu::machine
