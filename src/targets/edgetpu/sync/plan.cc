#include "targets/edgetpu/sync/plan.h"

#include <algorithm>

#include "targets/edgetpu/machine/engines/packer.h"
#include "targets/edgetpu/sync/passes.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::OutputGroup;
using machine::TensorIteration;

// From words of the output to the iterations that make them.
void to_iterations(const TensorIteration& w, Passes& p) {
  const size_t block = w.order.inner * w.order.sums * w.order.outer;
  if (p.single) {
    p.single = false;
    for (size_t n = 1; n <= w.out.size(); ++n) p.end.push_back(static_cast<uint32_t>(n));
  }
  for (uint32_t& end : p.end) {
    const auto group =
        std::partition_point(w.outputs.begin(), w.outputs.end(),
                             [&](const OutputGroup& o) { return o.first + o.count < end; });
    const auto n = static_cast<size_t>(group - w.outputs.begin());
    const size_t iterations = (n / w.order.sums + 1) * block;
    end = static_cast<uint32_t>(std::min(iterations, w.iterations));
  }
}

Passes passes_for(const StepPlan& plan, const Step& raw, EngineSide side, size_t level,
                  uint32_t total) {
  switch (side) {
    case EngineSide::loop:
      return passes_of_loops(*raw.nest, level, total);
    case EngineSide::out: {
      Passes p = passes_of(raw.b, level);
      if (plan.tensor) {
        to_iterations(*plan.tensor, p);
      }
      return p;
    }
    case EngineSide::weight: {
      Passes p = passes_of(raw.weight, level);
      // A resize counts its words; its weights are not looked at.
      if (!plan.tensor && !p.single) {
        for (size_t n = 0; n < p.end.size(); ++n) {
          p.end[n] = static_cast<uint32_t>((n + 1) * total / p.end.size());
        }
      }
      return p;
    }
    case EngineSide::acc:
      return passes_of(raw.acc, level);
    case EngineSide::b:
      return passes_of(raw.b, level);
    case EngineSide::a:
      return passes_of(raw.a, level);
  }
  return {};
}

bool belongs(EngineSide side, size_t to) { return (side == EngineSide::b) == (to == 1); }

// The scalar core's buffers are long: a wait of it for each place is no finer than its counts.
constexpr Grain kInCore = {.waits = 16, .counts = 16};

void plan_side(const Step& raw, size_t which, uint32_t total, StepPlan& plan,
               const Grain& grain = {}) {
  const Instruction i = raw.instruction();
  std::vector<Waits> waits;
  std::vector<Counts> counts;
  for (Watcher w : watchers_of(i)) {
    if (!belongs(w.side, which)) continue;
    if (plan.exact_start && w.counter == TileCounter::wide_to_narrow) w.start = *plan.exact_start;
    waits.push_back({w, passes_for(plan, raw, w.side, w.level, total)});
  }
  for (const CountProducer& p : producers_of(i)) {
    if (!belongs(p.side, which)) continue;
    counts.push_back({p, passes_for(plan, raw, p.side, p.level, total)});
  }
  Grain used = grain;
  if (plan.every_place) used.counts = 1;
  make_parts(waits, counts, total, used, plan.side[which]);
}

// The switch is taken out of the addresses: turns go on from one instruction to the next.
Generator without_switch(const Generator& g) {
  Generator plain = g;
  plain.stream_by = g.switch_by == 0 ? 0 : 1;
  plain.switch_by = 0;
  return plain;
}

SidePlaces places_of(const Generator& g) {
  SidePlaces p;
  p.at = machine::addresses_of(without_switch(g));
  p.by = g.switch_by;
  p.start = g.path.start;
  p.passes = p.at.empty() ? 1 : p.at.back().pass + 1;
  return p;
}

void plan_words(const Step& raw, StepPlan& plan) {
  const Generator by_line = machine::words_by_line(raw);
  const std::vector<size_t> size = machine::words_of_passes(by_line);
  const auto longest = static_cast<size_t>(raw.a.path.level[0].count);
  const auto full = std::max<size_t>(1, by_line.pass_places() / longest);
  uint32_t line = 0;
  uint32_t word = 0;
  uint32_t at_pass = 0;
  plan.words_before = {0};
  unroll(by_line, [&](int64_t /*at*/, uint32_t pass) {
    if (pass != at_pass || word == machine::kPackedWords) {
      ++line;
      word = 0;
      plan.words_before.push_back(static_cast<uint32_t>(plan.words.size()));
    }
    at_pass = pass;
    const size_t innermost = std::max<size_t>(1, size[pass] / full);
    plan.words.push_back({line, static_cast<uint16_t>(word++), static_cast<uint16_t>(innermost)});
  });
  plan.lines = line + size_t{1};
  plan.words_before.push_back(static_cast<uint32_t>(plan.words.size()));
}

// How many words of each line w2n takes: all, or those that n2w put there.
void plan_taken(const Core& core, const Step& raw, StepPlan& plan) {
  std::vector<size_t> made;
  if (raw.from_tile) made = machine::words_of_lines(core.steps.list[raw.copied]);
  plan.words_before = {0};
  for (size_t n = 0; n < plan.a.at.size(); ++n) {
    const size_t words = n < made.size() ? made[n] : machine::kPackedWords;
    plan.words_before.push_back(plan.words_before.back() + static_cast<uint32_t>(words));
  }
  if (!raw.numbers) return;
  plan.row_at.push_back(0);
  for (const uint32_t end : passes_of(raw.b, 1).end) plan.row_at.push_back(end);
}

// Both buffers within the memory: turns go on, so that either may be the first.
Status check_range(const Core& core, const Step& raw, const Generator& g, int64_t size,
                   int64_t limit) {
  const int64_t low = g.path.lowest();
  const int64_t high = g.path.highest() + g.switch_by + size;
  if (low >= 0 && high <= limit) return Ok{};
  return core.error(ErrorCode::chip_address, "an address is outside of the memory", raw)
      .detail("from " + std::to_string(low) + " to " + std::to_string(high - 1) +
              "; the memory ends before " + std::to_string(limit));
}

Status check_ranges(const Core& core, const Step& raw) {
  constexpr int64_t kWords = kNarrowWords;
  constexpr int64_t kLines = machine::kWideLines;
  if (raw.nest) {
    const auto form = machine::form_of(raw);
    const int64_t bytes = form ? int64_t{form->input} * form->products : 4;
    EDGETWIN_TRY(check_range(core, raw, raw.a, bytes, kNarrowBytes));
    return check_range(core, raw, raw.weight, 1, kLines * 4);
  }
  const HeaderLines& h = raw.header;
  if (h.start + (h.streamed ? 2 : 1) * h.count > kLines) {
    return core.error(ErrorCode::chip_address, "lines behind the end of wide memory", raw);
  }
  switch (raw.opcode) {
    case Opcode::narrow_to_wide:
      EDGETWIN_TRY(check_range(core, raw, raw.a, 1, kWords));
      return check_range(core, raw, raw.b, 1, kLines);
    case Opcode::wide_to_narrow:
      EDGETWIN_TRY(check_range(core, raw, raw.a, 1, kLines));
      return raw.numbers ? Status(Ok{}) : check_range(core, raw, raw.b, 1, kWords);
    case Opcode::ring_send:
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return check_range(core, raw, raw.a, 1, kLines);
    default:
      EDGETWIN_TRY(check_range(core, raw, raw.a, 1, kWords));
      return check_range(core, raw, raw.b, 1, kWords);
  }
}

Status check_places(Core& core, const Step& raw) {
  const auto too_many = [&](const Generator& g) {
    return g.count(core.limits.one) > core.limits.one;
  };
  if (!too_many(raw.a) && !too_many(raw.b)) return Ok{};
  return core.error(ErrorCode::chip_limit, "the traversal is longer than the machine's limit", raw);
}

Status plan_tensor(Core& core, StepPlan& plan, const Step& original) {
  Step& raw = plan.step;
  if (raw.opcode == Opcode::tensor_resize) {
    plan.b = places_of(original.b);
    plan_side(raw, 0, static_cast<uint32_t>(plan.b.at.size()), plan);
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(TensorIteration w, machine::iteration_of(core, raw, !core.plain));
  plan.a.by = original.a.switch_by;
  plan.a.start = original.a.path.start;
  plan.weight.by = original.weight.switch_by;
  plan.weight.start = original.weight.path.start;
  plan.a.passes = w.reads() ? w.last_input_pass() + 1 : 1;
  plan.weight.passes = w.last_weight_pass() + 1;
  plan.tensor.emplace(std::move(w));
  plan_side(raw, 0, static_cast<uint32_t>(plan.tensor->iterations), plan);
  return Ok{};
}

// The instruction's own fields, and what only the program tells.
Step raw_step(const Step& linked) {
  Step raw(decode_engine(linked.instruction()));
  raw.number = linked.number;
  raw.chunk = linked.chunk;
  raw.word = linked.word;
  raw.opcode = linked.opcode;
  raw.bytes = linked.bytes;
  raw.tiles = linked.tiles;
  raw.dynamic = linked.dynamic;
  raw.infeed = linked.infeed;
  raw.offset = linked.offset;
  raw.zero_sets = linked.zero_sets;
  raw.from_tile = linked.from_tile;
  raw.copied = linked.copied;
  raw.source = linked.source;
  raw.taken = linked.taken;
  raw.a.path.start = linked.a.path.start;
  return raw;
}

GeneratorKind core_generator(Opcode o) {
  if (o == Opcode::infeed) return GeneratorKind::infeed_places;
  return o == Opcode::param ? GeneratorKind::param_places : GeneratorKind::outfeed_places;
}

}  // namespace

std::shared_ptr<StepPlan> core_plan(const Instruction& i) {
  auto plan = std::make_shared<StepPlan>();
  Step& raw = plan->step;
  raw.opcode = i.opcode();
  raw.word = i.word;
  raw.bytes = i.bytes;
  raw.a = decode_generator(i, core_generator(i.opcode()));
  const uint64_t places = raw.a.count(kMostPlaces - 1);
  plan_side(raw, 0, static_cast<uint32_t>(std::min(places, kMostPlaces - 1)), *plan, kInCore);
  return plan;
}

Result<std::shared_ptr<StepPlan>> make_plan(Core& core, size_t number, const PlanOptions& options) {
  const Step& linked = core.steps.list[number];
  auto plan = std::make_shared<StepPlan>();
  plan->step = raw_step(linked);
  plan->exact_start = options.exact_start;
  plan->every_place = options.every_place;
  Step& raw = plan->step;
  const Step original = raw;
  if (raw.opcode == Opcode::table) {
    plan_side(raw, 0, 1, *plan);
    return plan;
  }
  EDGETWIN_TRY(check_places(core, raw));
  if (raw.opcode != Opcode::tensor_resize) EDGETWIN_TRY(check_ranges(core, raw));
  if (raw.nest) {
    raw.a = without_switch(raw.a);
    raw.b = original.b;
    raw.weight = without_switch(raw.weight);
    EDGETWIN_TRY(plan_tensor(core, *plan, original));
    return plan;
  }
  const bool mesh = raw.copy && raw.copy->engine == CopyEngine::mesh;
  if (!mesh || raw.sends) plan->a = places_of(raw.a);
  const bool has_b = raw.opcode == Opcode::narrow_to_wide || raw.opcode == Opcode::wide_to_narrow ||
                     (mesh && raw.receives);
  if (has_b) plan->b = places_of(raw.b);
  if (raw.opcode == Opcode::narrow_to_wide) plan_words(raw, *plan);
  if (raw.opcode == Opcode::wide_to_narrow) plan_taken(core, raw, *plan);
  plan_side(raw, 0, static_cast<uint32_t>(plan->a.at.size()), *plan);
  plan_side(raw, 1, static_cast<uint32_t>(plan->b.at.size()), *plan);
  return plan;
}

}  // namespace edgetwin::edgetpu::sync
