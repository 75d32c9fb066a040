// How a layer reads: words of data memory, pooled and combined to one pixel.
#include <algorithm>

#include "numerics/max78/max78.h"
#include "numerics/saturate.h"
#include "targets/max78/machine/layers/layer_run.h"

namespace edgetwin::max78 {
void LayerRun::note_read(DataPlace p, int64_t word) {
  const int writer = core_.data.writer(p);
  core_.data.mark_read(p);
  if (share_ == nullptr || writer != share_writer_) {
    share_writer_ = writer;
    share_ = &record_->inputs[writer];
    if (share_->words == 0) *share_ = {0, core_.address(p), core_.data.step(p)};
  }
  ++share_->words;
  if (const int before = core_.data.displaced(p); before != kNobody) {
    InputShare& lost = lost_[{before, writer}];
    if (lost.words++ == 0) lost = {1, core_.address(p), core_.data.step(p)};
  }
  if (writer == kNobody) {
    core_.findings.add(
        MachineEvent::never_written, c_.layer, kNobody, core_.address(p), core_.steps, [&] {
          return "layer " + std::to_string(c_.layer) + " reads word " + std::to_string(word) +
                 " of its input at " + hex_text(core_.address(p)) + ", which was never written";
        });
  } else if (expected_ != kNobody && writer != expected_) {
    core_.findings.add(
        MachineEvent::overwritten, c_.layer, writer, core_.address(p), core_.steps, [&] {
          return "layer " + std::to_string(c_.layer) + " streams from " + actor_name(expected_) +
                 ", but word " + std::to_string(word) + " at " + hex_text(core_.address(p)) +
                 " was written by " + actor_name(writer) + " in step " +
                 std::to_string(core_.data.step(p));
        });
  }
}

// A layer that reads one layer's result, and in place of some of its words another's, reads what
// was not meant for it.
void LayerRun::input_ends() {
  for (const auto& entry : lost_) {
    const int before = entry.first.first, now = entry.first.second;
    const InputShare& lost = entry.second;
    if (c_.streams || !record_->inputs.contains(before)) continue;
    core_.findings.add(MachineEvent::overwritten, c_.layer, now, lost.address, core_.steps, [&] {
      return "layer " + std::to_string(c_.layer) + " reads " + actor_name(before) + "'s result, " +
             "but " + std::to_string(lost.words) + " of its words were overwritten by " +
             actor_name(now) + ", the first at " + hex_text(lost.address) + " in step " +
             std::to_string(lost.step);
    });
  }
}

uint32_t LayerRun::fetch(int instance, int y, int x, int pass, int operand) {
  const int64_t pixel = int64_t{y} * c_.columns + x;
  int64_t word = c_.chw ? pixel / 4 + operand
                        : ((pixel * c_.passes + pass) * c_.operands + operand) * c_.read_step;
  const int64_t in_stream = word;
  if (c_.streams && c_.rollover > 0) word %= c_.rollover;
  const int64_t base = c_.read_base & ((1U << core_.chip.pointer_shift) - 1);
  const DataPlace p{instance, static_cast<uint32_t>(base + word)};
  if (base + word >= core_.chip.instance_words) {
    core_.findings.add(MachineEvent::data_outside, c_.layer, kNobody, 0, core_.steps, [&] {
      return "layer " + std::to_string(c_.layer) + " reads word " + std::to_string(base + word) +
             " of data memory " + std::to_string(instance) + ", which has " +
             std::to_string(core_.chip.instance_words);
    });
    return core_.options.fill;
  }
  note_read(p, in_stream);
  const uint32_t value = core_.data.value(p);
  // Four pixels of one channel share a word: the byte of this pixel comes first.
  return c_.chw ? value >> (8 * (pixel % 4)) : value;
}

void LayerRun::read_words(int y, int x, int pass, int operand) {
  const auto processors = static_cast<size_t>(processors_);
  const size_t window = static_cast<size_t>(c_.pool_h) * static_cast<size_t>(c_.pool_w);
  int8_t* to = &taps_[static_cast<size_t>(operand) * window * processors];
  for (int ky = 0; ky < c_.pool_h; ++ky) {
    for (int kx = 0; kx < c_.pool_w; ++kx, to += processors) {
      for (const Source& s : sources_) {
        const uint32_t word =
            fetch(s.instance, y + ky * c_.dilation_h, x + kx * c_.dilation_w, pass, operand);
        for (const Lane& lane : s.lanes) {
          to[lane.channel] = static_cast<int8_t>(word >> (8 * lane.byte));
        }
      }
    }
  }
}

// All operands of a pass to one value per processor, in front or after pooling.
void LayerRun::combine(int taps) {
  using numerics::max78::AveragePool;
  using numerics::max78::Eltwise;
  using numerics::max78::MaxPool;
  constexpr Eltwise kFunctions[] = {Eltwise::sub, Eltwise::add, Eltwise::bit_or, Eltwise::bit_xor};
  const Eltwise function = kFunctions[c_.function & 3];
  const auto n = static_cast<size_t>(processors_);
  const auto at = [&](int operand, int tap) {
    return &taps_[static_cast<size_t>(operand * taps + tap) * n];
  };
  const auto pool = [&](int operand) {
    int8_t* first = at(operand, 0);
    if (taps == 1 || !c_.pools) return;
    if (c_.max_pool) {
      for (int t = 1; t < taps; ++t) {
        const int8_t* tap = at(operand, t);
        for (size_t i = 0; i < n; ++i) first[i] = std::max(first[i], tap[i]);
      }
      return;
    }
    AveragePool rule;
    if (c_.rounds && !c_.one_dimension) {
      const bool up = core_.options.average_ties == MachineOptions::Ties::up;
      rule.rounding = up ? numerics::Rounding::half_up : numerics::Rounding::half_away;
    }
    for (size_t i = 0; i < n; ++i) {
      auto acc = rule.start();
      for (int t = 0; t < taps; ++t) acc = rule.take(acc, at(operand, t)[i]);
      first[i] = rule.finish(acc, taps);
    }
  };
  const auto join = [&](int tap) {
    int8_t* first = at(0, tap);
    for (size_t i = 0; i < n; ++i) {
      int32_t sum = first[i];
      for (int k = 1; k < c_.operands; ++k) {
        sum = numerics::max78::combined(function, sum, at(k, tap)[i]);
      }
      first[i] = numerics::saturate<int8_t>(sum);
    }
  };
  if (c_.operands == 1) return pool(0);
  if (c_.pool_first || taps == 1) {
    for (int k = 0; k < c_.operands; ++k) pool(k);
    return join(0);
  }
  for (int t = 0; t < taps; ++t) join(t);
  pool(0);
}

void LayerRun::read_pass(int y, int x, int pass) {
  for (int k = 0; k < c_.operands; ++k) read_words(y, x, pass, k);
  combine(c_.pool_h * c_.pool_w);
  int16_t* to = &pixel_[static_cast<size_t>(pass) * static_cast<size_t>(processors_)];
  for (int i = 0; i < processors_; ++i) to[i] = taps_[static_cast<size_t>(i)];
}

void LayerRun::read_pixel() {
  const int row = static_cast<int>(next_in_ / c_.pooled_columns);
  const int column = static_cast<int>(next_in_ % c_.pooled_columns);
  for (int e = 0; e < c_.passes; ++e) {
    read_pass(row * c_.pool_stride, column * c_.pool_stride, e);
  }
  core_.products += taps_.size() * static_cast<size_t>(c_.passes);
  if (c_.passthrough) return;
  const int up = c_.transposed ? 2 : 1;
  const auto x = static_cast<size_t>(column * up + c_.pad_w);
  std::copy(
      pixel_.begin(), pixel_.end(),
      ring_.begin() + static_cast<std::ptrdiff_t>(
                          static_cast<size_t>(row % c_.kernel_h) * ring_stride_ + x * channels_));
}

}  // namespace edgetwin::max78
