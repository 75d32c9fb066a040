// How a layer writes: pointers from its registers, bytes of words, and what that does to others.
#include <algorithm>

#include "targets/max78/chip/processor_map.h"
#include "targets/max78/machine/layers/layer_run.h"

namespace edgetwin::max78 {

void LayerRun::add_word(uint32_t pointer, int pass, const std::array<int32_t, 4>& source) {
  words_.push_back({pointer, pass, source});
}

// Outputs lie byte by byte in the words of successive data memories.
void LayerRun::plan_dense() {
  const uint32_t base = c_.write_base[static_cast<size_t>(lowest_bit(c_.processors)) / 16];
  for (int e = 0; e < c_.out_passes; ++e) {
    const uint32_t pass = base + static_cast<uint32_t>(e) * c_.pass_step;
    for (int i = 0; i < c_.outputs; i += 4) {
      const uint32_t pointer = pass + static_cast<uint32_t>(i / 4) * c_.mask_step;
      std::array<int32_t, 4> source = {-1, -1, -1, -1};
      for (int b = 0; b < 4 && i + b < c_.outputs; ++b) {
        const int o = e * c_.outputs + i + b;
        if (weights_.active[static_cast<size_t>(o)] == 0) continue;
        if (c_.wide) {
          add_word(pointer + static_cast<uint32_t>(b), e, {o, -1, -1, -1});
        } else {
          source[static_cast<size_t>(b)] = o;
        }
      }
      if (!c_.wide && source != std::array<int32_t, 4>{-1, -1, -1, -1}) {
        add_word(pointer, e, source);
      }
    }
  }
}

// Each processor has its own output: in the same place, or one after another from a start.
void LayerRun::plan_depthwise() {
  const int first = lowest_bit(c_.processors);
  const int first_group = first / kGroupProcessors, first_at = first % kGroupProcessors;
  const int start = c_.outputs - 1;  // bytes left out in front
  for (int e = 0; e < c_.passes; ++e) {
    std::vector<OutWord> words;
    int rank = 0;
    for (int p = 0; p < kProcessors; ++p) {
      if (!in_map(c_.processors, p)) continue;
      const int g = p / kGroupProcessors;
      uint32_t pointer =
          c_.write_base[static_cast<size_t>(g)] + static_cast<uint32_t>(e) * c_.pass_step;
      int byte = p % 4;
      if (c_.broadcast) {
        pointer += static_cast<uint32_t>(p / 4 - first / 4) * c_.mask_step;
      } else {
        const int at = g == first_group ? p % kGroupProcessors - first_at + start
                                        : p % kGroupProcessors + ((start - first_at) & 3);
        byte = at % 4;
        pointer += static_cast<uint32_t>(at / 4) * c_.slot_step;
      }
      if (c_.wide) pointer += static_cast<uint32_t>(byte);
      const int32_t channel = e * processors_ + rank++;
      if (words.empty() || words.back().pointer != pointer) {
        words.push_back({pointer, e, {-1, -1, -1, -1}});
      }
      words.back().source[c_.wide ? 0 : static_cast<size_t>(byte)] = channel;
    }
    words_.insert(words_.end(), words.begin(), words.end());
  }
}

// What passes through keeps its byte; each group has its own pointer, passes follow each other.
void LayerRun::plan_through() {
  for (int e = 0; e < c_.passes; ++e) {
    for (const Source& s : sources_) {
      const int g = s.instance / 4;
      const int first = lowest_bit(group_bits(c_.processors, g)) / 4;
      const uint32_t pointer = c_.write_base[static_cast<size_t>(g)] +
                               static_cast<uint32_t>(e) * c_.write_step +
                               static_cast<uint32_t>(s.instance % 4 - first) * c_.slot_step;
      std::array<int32_t, 4> source = {-1, -1, -1, -1};
      for (const Lane& lane : s.lanes) {
        const int32_t channel = e * processors_ + lane.channel;
        if (c_.wide) {
          add_word(pointer + static_cast<uint32_t>(lane.byte), e, {channel, -1, -1, -1});
        } else {
          source[static_cast<size_t>(lane.byte)] = channel;
        }
      }
      if (!c_.wide) add_word(pointer, e, source);
    }
  }
}

void LayerRun::plan_outputs() {
  pixel_step_ = c_.write_step;
  if (c_.passthrough) {
    pixel_step_ *= static_cast<uint32_t>(c_.passes);
    plan_through();
  } else if (c_.depthwise) {
    plan_depthwise();
  } else {
    plan_dense();
  }
  const bool dense = !c_.passthrough && !c_.depthwise;
  const size_t sums = dense ? weights_.active.size() : channels_;
  sums_.assign(sums, 0);
  results_.assign(sums, 0);
  LayerRecord& record = core_.records[c_.layer];
  record_ = &record;
  record.inputs.clear();
  record.config = c_;
  record.words = words_;
  record.pixel_step = pixel_step_;
  record.resets = c_.passthrough && in_pixels_ == 1 && processors_ == 1;
  record.channels.assign(sums, 0);
  int32_t channel = 0;
  for (size_t i = 0; i < sums; ++i) {
    if (dense && weights_.active[i] == 0) continue;
    record.channels[i] = channel++;
  }
}

void LayerRun::check_overwrite(DataPlace p, int64_t offset) {
  const int before = core_.data.writer(p);
  const int64_t base = c_.read_base;
  if (!c_.streams && next_in_ < in_pixels_ && ((source_mask_ >> p.instance) & 1U) != 0 &&
      p.word >= base) {
    const int64_t word = int64_t{p.word} - base;
    if (word % c_.read_step == 0 && still_needed(word)) {
      core_.findings.add(
          MachineEvent::overwritten, c_.layer, before, core_.address(p), core_.steps, [&] {
            return "layer " + std::to_string(c_.layer) + " writes output pixel " +
                   std::to_string(next_out_ - 1) + " over word " + std::to_string(word) +
                   " of its own input at " + hex_text(core_.address(p)) + " (written by " +
                   actor_name(before) + "), which it has not read yet";
          });
    }
  }
  if (consumer_ != nullptr) {
    const auto& to = consumer_->config();
    const int64_t word = offset - int64_t{to.read_base} - to.rollover;
    if (to.rollover > 0 && consumer_->still_needed(word)) {
      core_.findings.add(
          MachineEvent::stream_order, to.layer, c_.layer, core_.address(p), core_.steps, [&] {
            return "layer " + std::to_string(c_.layer) + " overwrites word " +
                   std::to_string(word) + " of the input of layer " + std::to_string(to.layer) +
                   " before it is used: its buffer holds " + std::to_string(to.rollover) + " words";
          });
    }
  }
  if (!core_.options.find_dead_results || before == kNobody || before == c_.layer) return;
  if (core_.data.was_read(p)) return;
  const auto record = core_.records.find(before);
  if (record != core_.records.end() && record->second.resets) return;
  core_.findings.add(
      MachineEvent::dead_result, c_.layer, before, core_.address(p), core_.steps, [&] {
        return "layer " + std::to_string(c_.layer) + " overwrites what " + actor_name(before) +
               " wrote to " + hex_text(core_.address(p)) + " before anybody read it";
      });
}

// Where word `offset`, counted from the start of the pointer's data memory, goes.
DataPlace LayerRun::target(uint32_t pointer, int64_t offset) const {
  const int shift = core_.chip.pointer_shift;
  const int instance = static_cast<int>(pointer >> shift);
  if (consumer_ != nullptr && consumer_->config().rollover > 0) {
    const auto& to = consumer_->config();
    const int64_t ahead = offset - int64_t{to.read_base};
    if (ahead >= 0) offset = int64_t{to.read_base} + ahead % to.rollover;
  }
  // The pointer is one number: beyond the words of a data memory the next one begins.
  const int64_t place = (int64_t{instance} << shift) + offset;
  if (place >> shift >= kInstances) return {kInstances, 0};
  return core_.place(static_cast<uint32_t>(place));
}

void LayerRun::store(int64_t offset, int64_t pixel, const OutWord& word) {
  const DataPlace p = target(word.pointer, offset);
  if (!core_.data.inside(p)) {
    core_.findings.add(MachineEvent::data_outside, c_.layer, kNobody, 0, core_.steps, [&] {
      return "layer " + std::to_string(c_.layer) + " writes word " + std::to_string(p.word) +
             " of data memory " + std::to_string(p.instance) + "; there are " +
             std::to_string(kInstances) + " of " + std::to_string(core_.chip.instance_words) +
             " words";
    });
    return;
  }
  check_overwrite(p, offset);
  uint32_t value = core_.data.value(p);
  int64_t* sums = core_.sums_at(p);
  if (c_.wide) {
    const int64_t sum = sums_[static_cast<size_t>(word.source[0])];
    value = static_cast<uint32_t>(sum);
    if (sums != nullptr) sums[0] = c_.passthrough ? kNoSum : sum;
  } else {
    for (size_t b = 0; b < 4; ++b) {
      if (word.source[b] < 0) continue;
      const auto i = static_cast<size_t>(word.source[b]);
      const auto shift = static_cast<uint32_t>(8 * b);
      value = (value & ~(0xffU << shift)) | static_cast<uint32_t>(static_cast<uint8_t>(results_[i]))
                                                << shift;
      if (sums != nullptr) sums[b] = c_.passthrough ? kNoSum : sums_[i];
    }
  }
  core_.data.write(p, value, c_.layer, core_.steps, pixel * c_.out_passes + word.pass);
  if (core_.hook) {
    core_.hook({MachineStep::Kind::write, c_.layer, core_.steps, core_.address(p), value});
  }
}

void LayerRun::write_words(int64_t pixel) {
  const int64_t mask = (int64_t{1} << core_.chip.pointer_shift) - 1;
  for (const OutWord& w : words_) store((w.pointer & mask) + pixel * pixel_step_, pixel, w);
}

}  // namespace edgetwin::max78
