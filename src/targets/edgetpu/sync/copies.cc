// n2w, w2n and the mesh, part by part.
#include <cstring>

#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::Tile;

constexpr size_t kLineBytesWide = static_cast<size_t>(kWideLineBytes);

size_t row_of(const StepPlan& plan, uint32_t place) {
  const auto behind = std::upper_bound(plan.row_at.begin(), plan.row_at.end(), place);
  return static_cast<size_t>(behind - plan.row_at.begin()) - 1;
}

size_t bank_of(const Step& s, size_t row) {
  const auto banks = static_cast<size_t>(s.b.path.level[1].count);
  const auto in_banks = static_cast<int64_t>(row % banks);
  return s.b.path.start + s.b.path.level[1].net * in_banks == 0 ? 0 : 1;
}

uint8_t turn_of(const Work& w, size_t row) {
  const SidePlaces& b = w.plan->b;
  if (b.by == 0) return 0;
  return static_cast<uint8_t>((b.at[w.plan->row_at[row]].pass + w.turn_b) & 1U);
}

}  // namespace

// What the other side has passed on by the time that so many places are needed.
void Executor::join_passed(const Work& w, uint32_t places, Lane& l) const {
  const auto found =
      std::lower_bound(w.passed.begin(), w.passed.end(), places,
                       [](const auto& passed, uint32_t n) { return passed.first < n; });
  if (found != w.passed.end()) join_stamp(l, found->second);
}

// A write of narrow memory that is about to be done.
void Executor::note_write(const Access& access, const Tile& memory, int64_t word, uint32_t value) {
  if (!shadow_) return;
  Shadow::Change change{0, value};
  std::memcpy(&change.before, memory.narrow.data() + word * 4, 4);
  shadow_->write(access, Memory::narrow, word, change);
}

bool Executor::n2w_part(size_t tile, size_t side, Work& w, Lane& l) {
  const StepPlan& plan = *w.plan;
  const SidePlan& parts = plan.side[side];
  const uint32_t begin = parts.begin_of(w.part[side]);
  const uint32_t end = parts.end[w.part[side]];
  Tile& memory = core_.tiles[tile];
  if (!w.packer) w.packer.emplace(plan.step, plan.lines);
  if (side == 0) {
    join_needs(tile, parts, w.part[0], l);
    const Access me = access(tile, 4, 0, w);
    for (uint32_t n = begin; n < end; ++n) {
      const int64_t word = plan.a.place(n, w.turn_a);
      if (shadow_) shadow_->read(me, Memory::narrow, word);
      const StepPlan::WordPlace& to = plan.words[n];
      w.packer->put(to.line, to.word, to.innermost, memory.narrow.data() + word * 4);
    }
    end_part(tile, lane_of(tile, 4, 0), 0, w, l, options_.costs.word * (end - begin));
    w.passed.emplace_back(end, stamp_behind(lane_of(tile, 4, 0)));
    wake(lane_of(tile, 4, 1));
    return true;
  }
  const size_t last = std::min<size_t>(end, plan.words_before.size() - 1);
  const uint32_t needed = plan.words_before[last];
  const uint32_t there = w.passed.empty() ? 0 : w.passed.back().first;
  if (there < needed) return false;
  join_needs(tile, parts, w.part[1], l);
  join_passed(w, needed, l);
  const Access me = access(tile, 4, 1, w);
  for (uint32_t n = begin; n < end; ++n) {
    const int64_t line = plan.b.place(n, w.turn_b);
    if (shadow_) shadow_->write(me, Memory::wide, line);
    if (n >= plan.lines) continue;
    std::memcpy(memory.wide.data() + line * kWideLineBytes,
                w.packer->data().data() + size_t{n} * kLineBytesWide, kLineBytesWide);
  }
  end_part(tile, lane_of(tile, 4, 1), 1, w, l, options_.costs.line * (end - begin));
  return true;
}

void Executor::start_numbers(size_t tile, const Work& w) {
  const StepPlan& plan = *w.plan;
  const size_t step = items_[w.item].step;
  auto& sets = tiles_[tile].number_sets;
  sets[step * 2].clear();
  sets[step * 2 + 1].clear();
  for (size_t row = 0; row + 1 < plan.row_at.size(); ++row) {
    sets[step * 2 + bank_of(plan.step, row)].push_back(turn_of(w, row));
  }
}

// Scales or biases: a set is there when its last number is.
void Executor::put_numbers(size_t tile, const Work& w, uint32_t begin, uint32_t end,
                           const Access& access) {
  const StepPlan& plan = *w.plan;
  for (size_t row = row_of(plan, begin); row + 1 < plan.row_at.size(); ++row) {
    if (plan.row_at[row + 1] > end) return;
    const size_t units = plan.row_at[row + 1] - plan.row_at[row];
    const size_t slot = bank_of(plan.step, row) * 2 + turn_of(w, row);
    if (shadow_) shadow_->write(access, Memory::numbers, static_cast<int64_t>(slot));
    std::vector<uint32_t>& numbers = tiles_[tile].numbers[slot];
    numbers.assign(std::min<size_t>(2 * units, machine::kPackedWords), 0);
    const size_t from = row * kLineBytesWide;
    if (from + numbers.size() * 4 > w.data.size()) continue;
    std::memcpy(numbers.data(), w.data.data() + from, numbers.size() * 4);
  }
}

// A line may be read until its last word has left: side A is ahead by what a queue between the
// sides holds, and nobody knows how much that is. Not lines of scales and biases: public programs
// count those when their first number is there.
void Executor::hold_lines(const Work& w, uint32_t first, uint32_t behind, const Access& access) {
  const StepPlan& plan = *w.plan;
  const auto from = std::upper_bound(plan.words_before.begin(), plan.words_before.end(), first);
  for (auto line = static_cast<size_t>(from - plan.words_before.begin()) - 1;
       line < plan.a.at.size() && plan.words_before[line] < behind; ++line) {
    shadow_->read(access, Memory::wide, plan.a.place(line, w.turn_a));
  }
}

bool Executor::w2n_part(size_t tile, size_t side, Work& w, Lane& l) {
  const StepPlan& plan = *w.plan;
  const SidePlan& parts = plan.side[side];
  const uint32_t begin = parts.begin_of(w.part[side]);
  const uint32_t end = parts.end[w.part[side]];
  Tile& memory = core_.tiles[tile];
  if (side == 0) {
    join_needs(tile, parts, w.part[0], l);
    const Access me = access(tile, 5, 0, w);
    for (uint32_t n = begin; n < end; ++n) {
      const int64_t line = plan.a.place(n, w.turn_a);
      if (shadow_) shadow_->read(me, Memory::wide, line);
      const auto* from = memory.wide.data() + line * kWideLineBytes;
      w.data.insert(w.data.end(), from,
                    from + size_t{plan.words_before[n + 1] - plan.words_before[n]} * 4);
    }
    end_part(tile, lane_of(tile, 5, 0), 0, w, l, options_.costs.line * (end - begin));
    w.passed.emplace_back(plan.words_before[end], stamp_behind(lane_of(tile, 5, 0)));
    wake(lane_of(tile, 5, 1));
    return true;
  }
  const uint32_t all = plan.words_before.back();
  const auto skipped = static_cast<uint32_t>(plan.step.skipped);
  const uint32_t words =
      plan.step.numbers ? static_cast<uint32_t>((row_of(plan, end - 1) + 1) * machine::kPackedWords)
                        : skipped + end;
  const uint32_t needed = std::min(all, words);
  const uint32_t there = w.passed.empty() ? 0 : w.passed.back().first;
  if (there < needed) return false;
  join_needs(tile, parts, w.part[1], l);
  join_passed(w, needed, l);
  const Access me = access(tile, 5, 1, w);
  if (plan.step.numbers) {
    put_numbers(tile, w, begin, end, me);
  } else {
    if (shadow_) hold_lines(w, std::min(all, skipped + begin), needed, me);
    for (uint32_t n = begin; n < end; ++n) {
      const int64_t word = plan.b.place(n, w.turn_b);
      if (skipped + n >= all) continue;
      uint32_t value = 0;
      std::memcpy(&value, w.data.data() + size_t{skipped + n} * 4, 4);
      note_write(me, memory, word, value);
      std::memcpy(memory.narrow.data() + word * 4, &value, 4);
    }
  }
  end_part(tile, lane_of(tile, 5, 1), 1, w, l, options_.costs.word * (end - begin));
  return true;
}

bool Executor::move_part(size_t tile, size_t engine, size_t side, Work& w, Lane& l) {
  const StepPlan& plan = *w.plan;
  const SidePlan& parts = plan.side[side];
  const uint32_t begin = parts.begin_of(w.part[side]);
  const uint32_t end = parts.end[w.part[side]];
  Tile& memory = core_.tiles[tile];
  const size_t direction = engine - tile_engine(Opcode::move_down);
  const size_t self = lane_of(tile, engine, side);
  const double cost = options_.costs.word * (end - begin);
  if (side == 0) {
    join_needs(tile, parts, w.part[0], l);
    const Access me = access(tile, engine, 0, w);
    MeshChunk chunk;
    for (uint32_t n = begin; n < end; ++n) {
      const int64_t word = plan.a.place(n, w.turn_a);
      if (shadow_) shadow_->read(me, Memory::narrow, word);
      uint32_t value = 0;
      std::memcpy(&value, memory.narrow.data() + word * 4, 4);
      chunk.words.push_back(value);
    }
    const auto to = mesh_receiver(*plan.step.copy, static_cast<int>(tile));
    end_part(tile, self, 0, w, l, cost);
    if (to) {
      chunk.stamp = stamp_behind(self);
      tiles_[static_cast<size_t>(*to)].mesh[direction].push_back(std::move(chunk));
      wake(lane_of(static_cast<size_t>(*to), engine, 1));
    }
    return true;
  }
  auto& queue = tiles_[tile].mesh[direction];
  const bool fill = plan.step.copy->fill;
  if (!fill) {
    size_t there = 0;
    for (const MeshChunk& c : queue) {
      there += c.words.size() - c.taken;
      if (there >= end - begin) break;
    }
    if (there < end - begin) return false;
  }
  join_needs(tile, parts, w.part[1], l);
  std::vector<uint32_t> words;
  while (!fill && words.size() < end - begin) {
    MeshChunk& c = queue.front();
    join_stamp(l, c.stamp);
    words.push_back(c.words[c.taken++]);
    if (c.taken == c.words.size()) queue.pop_front();
  }
  const Access me = access(tile, engine, 1, w);
  for (uint32_t n = begin; n < end; ++n) {
    const int64_t word = plan.b.place(n, w.turn_b);
    const uint32_t value = fill ? plan.step.copy->pattern : words[n - begin];
    note_write(me, memory, word, value);
    std::memcpy(memory.narrow.data() + word * 4, &value, 4);
  }
  end_part(tile, self, 1, w, l, cost);
  return true;
}

}  // namespace edgetwin::edgetpu::sync
