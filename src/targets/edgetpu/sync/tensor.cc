// The tensor instruction, part by part.
#include <cstring>

#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::Tile;

constexpr size_t kNarrowWord = 4;
constexpr size_t kBanks = 2;  // of scales, of biases

bool is_numbers(const Step& s) { return s.opcode == Opcode::wide_to_narrow && s.numbers; }

}  // namespace

NumberLinks link_numbers(const std::vector<Step>& list) {
  NumberLinks links(list.size());
  std::array<std::array<size_t, 2>, kTiles> last{};
  for (auto& tile : last) tile.fill(kNone);
  for (size_t n = 0; n < list.size(); ++n) {
    const Step& s = list[n];
    if (s.nest) links[n] = last;
    if (!is_numbers(s)) continue;
    const bool both = s.b.path.level[1].count > 1;
    for (size_t t = 0; t < static_cast<size_t>(kTiles); ++t) {
      if (!machine::has_tile(s.tiles, t)) continue;
      if (both || s.b.path.start == 0) last[t][0] = n;
      if (both || s.b.path.start != 0) last[t][1] = n;
    }
  }
  return links;
}

// The sets of scales and of biases that serve the outputs of an instruction, one after the other;
// null: none do.
Executor::NumberSets Executor::number_sets(size_t tile, const Work& w) const {
  const TileState& t = tiles_[tile];
  const machine::TensorIteration& it = *w.plan->tensor;
  const auto& link = links_[items_[w.item].step][tile];
  NumberSets all{};
  for (size_t bank = 0; bank < kBanks; ++bank) {
    const bool wanted = bank == 0 ? it.nest.has_scales : it.nest.has_bias;
    if (!wanted || link[bank] == kNone) continue;
    const auto sets = t.number_sets.find(link[bank] * kBanks + bank);
    if (sets != t.number_sets.end() && !sets->second.empty()) all[bank] = &sets->second;
  }
  return all;
}

// Which of them serve an output; kNone: none.
std::array<size_t, 2> Executor::slots_of(const NumberSets& sets, size_t output, size_t outputs) {
  std::array<size_t, 2> slots{kNone, kNone};
  for (size_t bank = 0; bank < kBanks; ++bank) {
    if (sets[bank] == nullptr) continue;
    const std::vector<uint8_t>& all = *sets[bank];
    slots[bank] = bank * 2 + (all.size() == 1 ? all[0] : all[output * all.size() / outputs]);
  }
  return slots;
}

void Executor::note_numbers(const std::array<size_t, 2>& slots, const Access& access) {
  for (const size_t slot : slots) {
    if (!shadow_ || slot == kNone) continue;
    shadow_->read(access, Memory::numbers, static_cast<int64_t>(slot));
  }
}

void Executor::load_numbers(size_t tile, const std::array<size_t, 2>& slots, const Access& access) {
  note_numbers(slots, access);
  Tile& memory = core_.tiles[tile];
  for (size_t bank = 0; bank < kBanks; ++bank) {
    machine::ChannelNumbers& numbers = bank == 0 ? memory.scales : memory.biases;
    const size_t slot = slots[bank];
    if (slot == kNone) {
      numbers = {};
      continue;
    }
    numbers.bits = tiles_[tile].numbers[slot];
    numbers.channels = numbers.bits.size();
    numbers.count = numbers.channels == 0 ? 0 : 1;
  }
}

// The zero points of an output's weights.
void Executor::load_zeros(size_t tile, Work& w, size_t output, int lanes, const Access& access) {
  const machine::TensorIteration& it = *w.plan->tensor;
  if (!it.nest.channel_zero_points) {
    w.zero.fill(it.nest.weight_zero_point);
    return;
  }
  const Step& s = w.plan->step;
  const size_t set = output * s.zero_sets / it.outputs.size();
  const auto turn = static_cast<int64_t>((set + w.turn_header) & 1U);
  const int64_t line = s.zero_line + turn * s.zero_distance;
  if (shadow_) shadow_->read(access, Memory::wide, line);
  std::memcpy(w.zero.data(), core_.tiles[tile].wide.data() + line * kWideLineBytes,
              static_cast<size_t>(lanes) * 4);
}

void Executor::begin_block(size_t tile, Work& w, size_t output, int lanes, const Access& access) {
  const machine::TensorIteration& it = *w.plan->tensor;
  load_numbers(tile, slots_of(number_sets(tile, w), output, it.outputs.size()), access);
  load_zeros(tile, w, output, lanes, access);
  for (size_t k = 0; k < it.order.sums; ++k) {
    machine::start_sums(it, core_.tiles[tile], output + k, lanes,
                        w.sums.data() + k * machine::kMostLanes);
  }
}

// The result of an output, and each word of it as a write.
void Executor::finish_output(const Access& access, const machine::TensorIteration& it, Tile& memory,
                             size_t output, const int32_t* sums, int lanes) {
  const machine::OutputGroup& o = it.outputs[output];
  const auto word_at = [&](size_t n) { return it.out[o.first + n].at / 4; };
  const auto value_at = [&](size_t n) {
    uint32_t value = 0;
    std::memcpy(&value, memory.narrow.data() + word_at(n) * 4, 4);
    return value;
  };
  std::array<uint32_t, machine::kMostLanes> before{};
  if (shadow_) {
    for (size_t n = 0; n < o.count; ++n) before.at(n) = value_at(n);
  }
  machine::finish(it, memory, output, sums, lanes);
  if (!shadow_) return;
  for (size_t n = 0; n < o.count; ++n) {
    shadow_->write(access, Memory::narrow, word_at(n), Shadow::Change{before.at(n), value_at(n)});
  }
}

Result<bool> Executor::tensor_part(size_t tile, Work& w, Lane& l) {
  const size_t part = w.part[0];
  const SidePlan& side = w.plan->side[0];
  Step& s = w.plan->step;
  Tile& memory = core_.tiles[tile];
  join_needs(tile, side, part, l);
  const uint32_t begin = side.begin_of(part);
  const uint32_t end = side.end[part];
  const Access me = access(tile, 0, 0, w);
  const auto touch = [&](bool write, int64_t byte, size_t bytes) {
    if (!shadow_) return;
    for (int64_t word = byte / 4; word <= (byte + static_cast<int64_t>(bytes) - 1) / 4; ++word) {
      write ? shadow_->write(me, Memory::narrow, word) : shadow_->read(me, Memory::narrow, word);
    }
  };
  if (s.opcode == Opcode::table) {
    machine::load_table(s, memory);
  } else if (s.opcode == Opcode::tensor_resize) {
    if (part == 0) EDGETWIN_TRY(machine::check_resize(core_, s));
    machine::resize_words(s, memory, begin, end,
                          [&](int64_t byte) { touch(false, byte, kNarrowWord); });
    for (uint32_t n = begin; n < end; ++n) touch(true, w.plan->b.place(n, 0), kNarrowWord);
  } else {
    const machine::TensorIteration& it = *w.plan->tensor;
    if (it.nest.function && memory.function == nullptr) {
      return core_.error(ErrorCode::chip_unknown, "the table of the function is not known", s);
    }
    const auto& r = it.order;
    const size_t block = r.inner * r.sums * r.outer;
    if (part == 0) {
      w.sums.resize(r.sums * machine::kMostLanes);
      if (s.zero_distance != 0 && it.nest.channel_zero_points) {
        SidePlaces zero;
        zero.by = s.zero_distance;
        zero.start = s.zero_line;
        zero.passes = static_cast<uint32_t>(s.zero_sets);
        w.turn_header = take_turns(tile, 0, 3, zero);
      }
    }
    const auto in_bytes = static_cast<size_t>(it.form.input * it.form.products);
    const bool by_rows = tensor_rows(tile, w, begin, end, me);
    for (size_t n = by_rows ? end : begin; n < end; ++n) {
      const size_t output = n / block * r.sums;
      const size_t at = n % block;
      const int lanes =
          static_cast<int>(it.outputs[output].count) * 4 / static_cast<int>(s.result_bytes());
      if (at == 0) begin_block(tile, w, output, lanes, me);
      int64_t in = 0;
      if (it.reads()) {
        const Address from = it.input_of(n);
        in = from.at + (((from.pass + w.turn_a) & 1U) != 0 ? w.plan->a.by : 0);
        touch(false, in, in_bytes);
      }
      const Address lines = it.weight_of(n);
      const int64_t weight =
          lines.at + (((lines.pass + w.turn_weight) & 1U) != 0 ? w.plan->weight.by : 0);
      if (shadow_) shadow_->read(me, Memory::wide, weight / 4);
      machine::product(it, memory, in, weight, lanes, w.zero,
                       w.sums.data() + n / r.inner % r.sums * machine::kMostLanes);
      if (at + 1 != block) continue;
      for (size_t k = 0; k < r.sums; ++k) {
        const int32_t* sums = w.sums.data() + k * machine::kMostLanes;
        if (!it.left.empty()) {
          const Address& place = it.left[n + 1 - block + k * r.inner];
          if (shadow_) shadow_->write(me, Memory::wide, place.at / 4);
          machine::leave(place, sums, lanes, memory);
        }
        finish_output(me, it, memory, output + k, sums, lanes);
      }
    }
  }
  end_part(tile, lane_of(tile, 0, 0), 0, w, l,
           options_.costs.iteration * static_cast<double>(end - begin));
  return true;
}

}  // namespace edgetwin::edgetpu::sync
