// load_input: the sample in data memory, or through the FIFOs. Source: specification "memory" 3.
#include <algorithm>
#include <map>

#include "targets/max78/generate/generate.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

// Element (c, pixel) of the sample, 0 beyond its channels.
struct Sample {
  const uint8_t* data;
  int64_t channels, pixels;
  uint32_t at(int64_t c, int64_t pixel) const {
    return c < channels && pixel < pixels ? data[c * pixels + pixel] : 0U;
  }
};

Sample sample_of(const Plan& plan, const Tensor& tensor) {
  return {reinterpret_cast<const uint8_t*>(tensor.data.data()), plan.sample.c,
          int64_t{plan.sample.h} * plan.sample.w};
}

void put(Function& f, uint32_t address, std::vector<uint32_t> words) {
  if (words.empty()) return;
  // What lies directly after the words before joins them.
  if (!f.accesses.empty()) {
    Access& last = f.accesses.back();
    const auto end = last.address + 4 * static_cast<uint32_t>(last.words.size() + 1);
    if (last.kind == Kind::write && end == address) {
      last.words.insert(last.words.end(), words.begin(), words.end());
      return;
    }
  }
  const uint32_t first = words.front();
  words.erase(words.begin());
  f.accesses.push_back(
      {.kind = Kind::write, .address = address, .value = first, .words = std::move(words)});
}

uint32_t memory_address(const Plan& plan, const LayerPlan& l, int processor) {
  return plan.chip->data_address(processor / kInstanceProcessors) +
         static_cast<uint32_t>(l.in_offset);
}

std::vector<uint32_t> channel_words(const Sample& s, int64_t c) {
  std::vector<uint32_t> words(static_cast<size_t>((s.pixels + 3) / 4), 0);
  for (int64_t i = 0; i < s.pixels; ++i) {
    words[static_cast<size_t>(i / 4)] |= s.at(c, i) << (8 * (i % 4));
  }
  return words;
}

void load_planes(const Plan& plan, const LayerPlan& l, const Sample& s, Function& f) {
  int64_t c = 0;
  for (int p = 0; p < kProcessors; ++p) {
    if (in_map(l.processors, p)) put(f, memory_address(plan, l, p), channel_words(s, c++));
  }
}

void load_pixels(const Plan& plan, const LayerPlan& l, const Sample& s, Function& f) {
  const int64_t step = int64_t{l.in_expand} * l.operands;
  const int64_t channels = l.in_channels;
  for (int p = 0; p < kProcessors; p += kInstanceProcessors) {
    const auto nibble = static_cast<uint32_t>(l.processors >> p) & 0xfU;
    if (nibble == 0) continue;
    std::vector<uint32_t> words(static_cast<size_t>(s.pixels * step), 0);
    int rank = count_bits(l.processors & ((uint64_t{1} << p) - 1));
    for (int b = 0; b < kInstanceProcessors; ++b) {
      if (((nibble >> b) & 1U) == 0) continue;
      for (int64_t pass = 0; pass < l.in_expand; ++pass) {
        const int64_t c = pass * l.in_thresh + rank;
        if (c >= channels) continue;
        for (int64_t k = 0; k < l.operands; ++k) {
          for (int64_t i = 0; i < s.pixels; ++i) {
            words[static_cast<size_t>(i * step + pass * l.operands + k)] |=
                s.at(c + k * channels, i) << (8 * b);
          }
        }
      }
      ++rank;
    }
    put(f, memory_address(plan, l, p), std::move(words));
  }
}

// One list of words per FIFO.
std::vector<std::vector<uint32_t>> fifo_words(const LayerPlan& l, const Sample& s) {
  std::vector<std::vector<uint32_t>> lists;
  if (l.yaml->big_data) {
    for (int64_t c = 0; c < s.channels; ++c) lists.push_back(channel_words(s, c));
    return lists;
  }
  int64_t c = 0;
  for (int g = 0; g < kGroups && c < s.channels; ++g, c += 4) {
    const uint32_t map = group_bits(l.processors, g);
    if (map == 0) continue;
    std::vector<uint32_t> words(static_cast<size_t>(s.pixels), 0);
    for (int b = 0; b < 4; ++b) {
      if (((map >> b) & 1U) == 0) continue;
      for (int64_t i = 0; i < s.pixels; ++i) {
        words[static_cast<size_t>(i)] |= s.at(c + b, i) << (8 * b);
      }
    }
    lists.push_back(std::move(words));
  }
  return lists;
}

void load_fifo(const Plan& plan, const LayerPlan& l, const Sample& s, Function& f) {
  const auto lists = fifo_words(l, s);
  const bool fast = plan.options.use_fast_fifo();
  Access a{.kind = Kind::fifo};
  if (fast) {
    a.addresses = {kFastFifoBase + 0x10};
  } else {
    for (int g = 0, used = 0; g < kGroups && used < static_cast<int>(lists.size()); ++g) {
      if (group_bits(l.processors, g) == 0) continue;
      a.addresses.push_back(kFifoBase + 8 + 4 * static_cast<uint32_t>(g));
      ++used;
    }
  }
  for (size_t i = 0; !lists.empty() && i < lists.front().size(); ++i) {
    for (const auto& list : lists) a.words.push_back(list[i]);
  }
  if (plan.options.fifo_wait) {
    f.accesses.push_back({.kind = Kind::poll, .address = fast ? kFastFifoBase + 4 : kFifoBase + 4});
  }
  f.accesses.push_back(std::move(a));
}

}  // namespace

namespace {

// Pixels of 16 or 15 bits: the low bits of each byte do not reach the chip. Source: the answer of
// the recorded folder m2-csv-565-sync.
void lose_bits(Tensor& sample, const CameraOptions& camera) {
  if (camera.csv.empty() || camera.format == 888 || sample.shape.rank() == 0) return;
  if (sample.shape[0] != 3) return;  // refused where the folder is made
  const size_t plane = sample.data.size() / 3;
  auto* bytes = reinterpret_cast<uint8_t*>(sample.data.data());
  for (size_t i = 0; i < 3 * plane; ++i) {
    const bool six = camera.format == 565 && i / plane == 1;
    bytes[i] = static_cast<uint8_t>(bytes[i] & (six ? 0xfcU : 0xf8U));
  }
}

}  // namespace

Status synthesize(Tensor& sample, const Options& options) {
  lose_bits(sample, options.rtl.camera);
  if (!options.synthesize_input) return Ok{};
  const int64_t channels = sample.shape.rank() > 0 ? sample.shape[0] : 0;
  const int64_t block = options.synthesize_words;
  const int64_t pixels = channels > 0 ? sample.shape.elements() / channels : 0;
  if (channels < 1 || channels > 4 || pixels % block != 0) {
    return Error(ErrorCode::max78_option,
                 "--synthesize-input takes samples of 1 to 4 channels and whole blocks")
        .detail("the sample has " + std::to_string(channels) + " channels of " +
                std::to_string(pixels) + " pixels; a block has " + std::to_string(block))
        .with_hint("--synthesize-words N sets the pixels of a block.");
  }
  auto* bytes = reinterpret_cast<uint8_t*>(sample.data.data());
  const auto addend = static_cast<uint32_t>(*options.synthesize_input);
  for (int64_t i = block; i < pixels; ++i) {
    uint32_t word = 0;
    for (int64_t c = 0; c < channels; ++c) {
      word |= uint32_t{bytes[c * pixels + i - block]} << (8 * c);
    }
    word += addend;
    for (int64_t c = 0; c < channels; ++c) {
      bytes[c * pixels + i] = static_cast<uint8_t>(word >> (8 * c));
    }
  }
  return Ok{};
}

Function load_input(const Plan& plan, const Tensor& tensor) {
  Function f{"load_input", {}};
  const LayerPlan& l = plan.layer(plan.start);
  const Sample s = sample_of(plan, tensor);
  if (plan.options.use_fifo()) {
    load_fifo(plan, l, s, f);
  } else if (l.yaml->big_data) {
    load_planes(plan, l, s, f);
  } else {
    load_pixels(plan, l, s, f);
  }
  return f;
}

}  // namespace edgetwin::max78
