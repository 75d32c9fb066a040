#include "targets/max78/board/locate.h"

#include "targets/max78/chip/regs.h"

#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

// A word of a data memory.
struct DataWord {
  int quad = 0;       // which of the 16
  int64_t bytes = 0;  // from its beginning
};

std::optional<DataWord> data_word(const Limits& chip, uint32_t address) {
  for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
    const uint32_t begin = chip.data_address(i);
    if (address >= begin && address < begin + static_cast<uint32_t>(chip.instance_bytes())) {
      return DataWord{i, address - begin};
    }
  }
  return std::nullopt;
}

// The pixel, pass and byte of the word with this index; nothing where it lies between two pixels.
struct WordPlace {
  int64_t pixel = 0;
  int pass = 0, byte = 0;
};

std::optional<WordPlace> place_of(const Region& r, int64_t index) {
  const int64_t gap = int64_t{r.write_gap} + 1;
  for (int byte = 0; byte < (r.width == 32 ? 4 : 1); ++byte) {
    if (index < byte || (index - byte) % gap != 0) continue;
    const int64_t n = (index - byte) / gap;
    if (r.width == 32 && n % 4 != 0) continue;
    const int64_t word = r.width == 32 ? n / 4 : n;
    const WordPlace place{word / r.expand, static_cast<int>(word % r.expand), byte};
    if (place.pixel < r.pixels) return place;
  }
  return std::nullopt;
}

std::optional<ElementsOfWord> elements_of(const LayerPlan& l, const DataWord& word) {
  const Region r = region_of(l);
  const int64_t bytes = word.bytes - r.offset;
  if (bytes < 0 || bytes % 4 != 0) return std::nullopt;
  const auto place = place_of(r, bytes / 4);
  if (!place) return std::nullopt;
  for (const Quad& q : quads_of(r, place->pass)) {
    if (q.quad != word.quad) continue;
    ElementsOfWord e{
        l.index, place->pixel / l.out_dim.w, place->pixel % l.out_dim.w, r.width == 32, {}};
    int channel = q.channel;
    for (int b = 0; b < kInstanceProcessors; ++b) {
      const bool used = ((q.bits >> b) & 1U) != 0;
      e.channels.push_back(used ? channel : -1);
      channel += used ? 1 : 0;
    }
    if (!e.wide) return e;
    e.channels = {e.channels[static_cast<size_t>(place->byte)]};
    if (e.channels[0] >= 0) return e;
  }
  return std::nullopt;
}

std::string hex(uint32_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

// The index of the piece of `stride` bytes that holds the offset, and the offset within it.
struct Piece {
  uint32_t index = 0, offset = 0;
};
std::optional<Piece> piece_of(uint32_t offset, uint32_t first, uint32_t stride, uint32_t size,
                              uint32_t count) {
  if (offset < first) return std::nullopt;
  const Piece p{(offset - first) / stride, (offset - first) % stride};
  if (p.index >= count || p.offset >= size) return std::nullopt;
  return p;
}

}  // namespace

std::vector<ElementsOfWord> elements_at(const Plan& plan, uint32_t address) {
  std::vector<ElementsOfWord> found;
  const auto word = data_word(*plan.chip, address);
  if (!word) return found;
  for (auto i = plan.order.rbegin(); i != plan.order.rend(); ++i) {
    const LayerPlan& l = plan.layer(*i);
    if (l.next != ai8x::kStop && plan.layer(l.next).streaming) continue;
    if (auto elements = elements_of(l, *word)) found.push_back(std::move(*elements));
  }
  return found;
}

std::optional<std::string> memory_at(const Limits& chip, uint32_t address) {
  for (int g = 0; g < kGroups; ++g) {
    if (address < chip.group(g) || address - chip.group(g) >= chip.group_stride) continue;
    const uint32_t offset = address - chip.group(g);
    if (const auto data = data_word(chip, address)) {
      return "data memory " + std::to_string(data->quad) + ", byte " +
             hex(static_cast<uint32_t>(data->bytes), 5);
    }
    const auto bias =
        piece_of(offset, chip.bias_offset, 4 * u(chip.bias_bytes), 4 * u(chip.bias_bytes), 1);
    if (bias) {
      return "bias memory of group " + std::to_string(g) + ", byte " +
             std::to_string(bias->offset / 4);
    }
    const auto row = piece_of(offset, chip.tram_offset, chip.row_stride, 4 * u(chip.tram_entries),
                              kGroupProcessors);
    if (row) {
      return "row memory of processor " +
             std::to_string(g * kGroupProcessors + static_cast<int>(row->index)) + ", entry " +
             std::to_string(row->offset / 4);
    }
    const auto kernel = piece_of(offset, chip.kernel_offset, chip.kernel_stride, chip.kernel_stride,
                                 kGroupProcessors);
    if (!kernel) return "group " + std::to_string(g) + ", registers, " + hex(offset, 6);
    const int processor = g * kGroupProcessors + static_cast<int>(kernel->index);
    const auto column = static_cast<int>(kernel->offset / 16);
    if (column >= chip.columns(processor)) return std::nullopt;
    return "kernel memory of processor " + std::to_string(processor) + ", column " +
           std::to_string(column);
  }
  return std::nullopt;
}

}  // namespace edgetwin::max78
