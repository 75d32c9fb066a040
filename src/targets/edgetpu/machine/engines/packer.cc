#include "targets/edgetpu/machine/engines/packer.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {
namespace {

// The passes of words that w2n makes: parts of what it has where they stand as they come.
class WordPasses {
 public:
  WordPasses(const Step& s, const SentBytes& data)
      : from_(s.b), data_(data), words_(data->size() / 4), next_(static_cast<size_t>(s.skipped)) {}

  std::vector<SentBytes> make() {
    uint32_t pass = 0;
    unroll_rows(from_, [&](const PlaceRow& row) {
      if (row.pass != pass) flush();
      pass = row.pass;
      const int64_t start = from_.path.start + ((pass & 1U) != 0 ? from_.switch_by : 0);
      const auto count = static_cast<size_t>(row.count);
      put(row.first - start, row.step, next_ < words_ ? std::min(count, words_ - next_) : 0);
      next_ += count;
    });
    flush();
    return std::move(passes_);
  }

 private:
  // The next `count` words, `step` places apart. Those outside of the buffer are lost.
  void put(int64_t place, int64_t step, size_t count) {
    for (size_t n = 0; n < count;) {
      const int64_t to = place + static_cast<int64_t>(n) * step;
      const bool inside = to >= 0 && to < from_.stream_by;
      const size_t room = inside ? static_cast<size_t>(from_.stream_by - to) : 1;
      const size_t together = step == 1 ? std::min(count - n, room) : 1;
      if (inside) put_inside(static_cast<size_t>(to), next_ + n, together);
      n += together;
    }
  }
  void put_inside(size_t place, size_t first, size_t count) {
    if (own_.empty() && size_ == 0 && place == 0) {
      first_ = first;
      size_ = count;
      return;
    }
    if (own_.empty() && place == size_ && first == first_ + size_) {
      size_ += count;
      return;
    }
    if (own_.empty()) own_.assign(data_->data() + first_ * 4, data_->data() + (first_ + size_) * 4);
    const size_t end = (place + count) * 4;
    if (own_.size() < end) own_.resize(end);
    std::memcpy(own_.data() + place * 4, data_->data() + first * 4, count * 4);
  }
  void flush() {
    if (own_.empty()) {
      passes_.push_back(data_.part(size_ == 0 ? 0 : first_ * 4, size_ * 4));
    } else {
      passes_.push_back(std::make_shared<const Bytes>(std::move(own_)));
    }
    own_ = {};
    first_ = size_ = 0;
  }

  const Generator& from_;
  const SentBytes& data_;
  size_t words_, next_;
  std::vector<SentBytes> passes_;
  // Of the pass at hand: so many words from that one on, or bytes of its own.
  size_t first_ = 0, size_ = 0;
  Bytes own_;
};

}  // namespace

std::vector<SentBytes> passes_of_lines(Bytes data, size_t size) {
  std::vector<SentBytes> passes;
  const SentBytes all(std::make_shared<const Bytes>(std::move(data)));
  for (size_t at = 0; at < all->size(); at += size) {
    passes.push_back(all.part(at, std::min(all->size() - at, size)));
  }
  return passes;
}

std::vector<SentBytes> passes_of_words(const Step& s, const SentBytes& data) {
  return WordPasses(s, data).make();
}

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
