// cnn_load_weights: kernel memory as the firmware writes it. Source: specification "memory" 5.7.
#include <algorithm>

#include "targets/max78/generate/generate.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;
using Column = std::array<uint8_t, kColumnBytes>;

// Bytes of columns one after another, first byte highest, zero-filled to whole words.
std::vector<uint32_t> packed(const Column* columns, size_t count) {
  std::vector<uint32_t> words((kColumnBytes * count + 3) / 4, 0);
  const uint8_t* bytes = columns->data();
  for (size_t i = 0; i < kColumnBytes * count; ++i) {
    words[i / 4] |= static_cast<uint32_t>(bytes[i]) << (24 - 8 * (i % 4));
  }
  return words;
}

// Four words per column as the memory shows them.
std::vector<uint32_t> unpacked(const Column* columns, size_t count) {
  std::vector<uint32_t> words;
  const auto word = [](const uint8_t* b) {
    return static_cast<uint32_t>(b[0]) << 24 | static_cast<uint32_t>(b[1]) << 16 |
           static_cast<uint32_t>(b[2]) << 8 | b[3];
  };
  for (size_t i = 0; i < count; ++i) {
    const Column& c = columns[i];
    words.insert(words.end(), {c[0], word(c.data() + 1), word(c.data() + 5), 0});
  }
  return words;
}

void put_words(Function& f, uint32_t address, std::vector<uint32_t> words) {
  const uint32_t first = words.front();
  words.erase(words.begin());
  f.accesses.push_back(
      {.kind = Kind::write, .address = address, .value = first, .words = std::move(words)});
}

// Where the packed form of a column is written.
uint32_t packed_address(const Limits& chip, int processor, int64_t column) {
  return chip.kernel_address(processor, 0) + 4 * static_cast<uint32_t>(column);
}

class Loader {
 public:
  Loader(const Plan& plan, Function& f) : plan_(plan), f_(f) {
    for (const int i : plan.order) calcx4_ = calcx4_ || plan.layer(i).yaml->calcx4;
    packed_ = plan.options.mexpress;
  }

  void processor(int p) {
    const auto& memory = plan_.kernels[static_cast<size_t>(p)];
    if (!plan_.options.new_kernel_loader && !calcx4_) {
      whole(p, memory);
      return;
    }
    const size_t n = memory.columns.size();
    for (size_t begin = 0; begin < n;) {
      if (!loads(memory, begin)) {
        ++begin;
        continue;
      }
      size_t end = begin;
      while (end < n && loads(memory, end)) ++end;
      put(p, begin, memory.columns.data() + begin, end - begin);
      begin = end;
    }
  }

 private:
  bool loads(const Plan::KernelMemory& m, size_t column) const {
    if (!m.used[column]) return false;
    if (!plan_.options.zero_sram && !plan_.options.rtl.pretend_zero) return true;
    const Column& c = m.columns[column];
    return std::any_of(c.begin(), c.end(), [](uint8_t b) { return b != 0; });
  }

  void put(int p, size_t column, const Column* columns, size_t count) {
    const Limits& chip = *plan_.chip;
    if (!packed_) {
      put_words(f_, chip.kernel_address(p, static_cast<int>(column)), unpacked(columns, count));
      return;
    }
    const uint32_t at = packed_address(chip, p, static_cast<int64_t>(column));
    f_.accesses.push_back({.kind = Kind::write_byte, .address = at | 1U, .value = 1});
    put_words(f_, at, packed(columns, count));
  }

  // The older loader: one array from the first column to the last, or from column 0.
  void whole(int p, const Plan::KernelMemory& m) {
    const auto first = std::find(m.used.begin(), m.used.end(), true);
    if (first == m.used.end()) return;
    size_t last = m.used.size() - 1;
    while (!m.used[last]) --last;
    const bool all = plan_.options.legacy_kernels;
    const auto begin = all ? 0 : static_cast<size_t>(first - m.used.begin());
    const size_t count = last - begin + 1;
    const Limits& chip = *plan_.chip;
    if (!packed_) {
      put(p, begin, m.columns.data() + begin, count);
      return;
    }
    const uint32_t at = packed_address(chip, p, static_cast<int64_t>(begin));
    f_.accesses.push_back({.kind = Kind::write_byte, .address = at | 1U, .value = 1});
    put_words(f_, chip.kernel_address(p, 0), packed(m.columns.data() + begin, count));
  }

  const Plan& plan_;
  Function& f_;
  bool calcx4_ = false, packed_ = true;
};

}  // namespace

Function cnn_load_weights(const Plan& plan) {
  Function f{"cnn_load_weights", {}};
  Loader loader(plan, f);
  for (int p = 0; p < kProcessors && !plan.kernels.empty(); ++p) loader.processor(p);
  return f;
}

}  // namespace edgetwin::max78
