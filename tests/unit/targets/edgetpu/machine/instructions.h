// Instructions written bit by bit, executed alone.
#pragma once

#include <cstring>
#include <vector>

#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/machine/schedule.h"

namespace edgetwin::edgetpu::machine {

struct LevelBits {
  int64_t net, count;
};

// A program of a few instructions.
class Writer {
 public:
  Writer& begin(Opcode opcode, uint32_t tiles) {
    at_ = data_.size();
    data_.resize(at_ + info(opcode).words * kWordBytes);
    put(6, 6, static_cast<uint64_t>(opcode));
    return put(12, 16, tiles);
  }
  Writer& put(size_t bit, unsigned width, uint64_t value) {
    const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    set_bits(std::span(data_).subspan(at_), bit, width, value & mask);
    return *this;
  }
  Writer& real(size_t bit, float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    return put(bit, 32, bits);
  }
  // Steps are relative: what one advance adds after the inner levels' last place.
  Writer& path(GeneratorKind kind, int64_t start, const std::vector<LevelBits>& levels) {
    const GeneratorInfo& g = info(kind);
    const auto field = [&](const FieldInfo& f, size_t element, int64_t value) {
      put(f.bit_of(element), f.width, static_cast<uint64_t>(value));
    };
    field(*g.start, 0, start);
    int64_t end = 0;
    for (size_t k = 0; k < g.most_levels(); ++k) {
      const LevelBits l = k < levels.size() ? levels[k] : LevelBits{0, 1};
      field(*g.step, k, l.net - end);
      field(*g.count, k, l.count - 1);
      end += l.net * (l.count - 1);
    }
    return put(g.levels->bit, g.levels->width, (uint64_t{1} << levels.size()) - 1);
  }
  Writer& tensor(uint32_t kind, float multiplier, int lanes) {
    put(1840, 13, kind).real(1949, multiplier).put(1940, 6, static_cast<uint64_t>(lanes - 1));
    return real(1981, 255.0F).real(2013, 0.0F);
  }
  const Bytes& data() const { return data_; }

 private:
  Bytes data_;
  size_t at_ = 0;
};

// Runs the program on `core`, whose memories are as the test has filled them.
inline Status execute(Core& core, const Writer& w) {
  EDGETWIN_TRY_ASSIGN(core.steps, make_steps({ByteSpan(w.data())}, "test"));
  return run_steps(core);
}

inline uint8_t narrow(const Core& core, size_t at, size_t tile = 0) {
  return static_cast<uint8_t>(core.tiles[tile].narrow[at]);
}

inline uint16_t narrow16(const Core& core, size_t at, size_t tile = 0) {
  uint16_t value = 0;
  std::memcpy(&value, core.tiles[tile].narrow.data() + at, 2);
  return value;
}

inline void put16(Core& core, size_t at, uint16_t value, size_t tile = 0) {
  std::memcpy(core.tiles[tile].narrow.data() + at, &value, 2);
}

// A number of `value`'s size in a lane of a line of wide memory.
template <class T>
void put_lane(Core& core, size_t line, size_t lane, size_t byte, T value, size_t tile = 0) {
  std::memcpy(core.tiles[tile].wide.data() + line * 256 + lane * 4 + byte, &value, sizeof value);
}

}  // namespace edgetwin::edgetpu::machine
