#include "targets/edgetpu/compile/likeness/classes.h"

#include <algorithm>

#include "targets/edgetpu/compile/likeness/items.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr size_t kMostSteps = 8000;  // that are aligned
constexpr size_t kMostCells = 64'000'000;

// The tile and the line in which a block of parameters rests.
bool is_rest(Use use, const FieldInfo& f) {
  if (f.name != "tiles" && f.name != "a.start") return false;
  if (use == Use::loading) return f.opcode != Opcode::param || f.name == "tiles";
  return (use == Use::send || use == Use::returned) && f.opcode == Opcode::ring_send;
}

std::vector<uint64_t> loops(const Instruction& i) {
  std::vector<uint64_t> all;
  for (size_t k = 0; k < 8; ++k) all.push_back(i.get_or_zero("loop", k));
  return all;
}

uint32_t alike(const Step& a, const Step& b, const std::vector<Instruction>& ours,
               const std::vector<Instruction>& theirs) {
  if (a.numbers != b.numbers) return 0;
  constexpr uint32_t kSame = 16;
  uint32_t score = kSame;
  for (size_t k = 0; k < std::min({a.tensors.size(), b.tensors.size(), size_t{8}}); ++k) {
    score += loops(ours[a.tensors[k]]) == loops(theirs[b.tensors[k]]) ? 1 : 0;
  }
  return score;
}

// The same layer with other numbers, since the networks were quantized apart: as many instructions
// with the same loops.
bool same_loops(const Step& a, const Step& b, const std::vector<Instruction>& ours,
                const std::vector<Instruction>& theirs) {
  return std::ranges::equal(a.tensors, b.tensors, [&](size_t x, size_t y) {
    return ours[x].opcode() == theirs[y].opcode() && loops(ours[x]) == loops(theirs[y]) &&
           ours[x].get_or_zero("kind") == theirs[y].get_or_zero("kind");
  });
}

std::string value_text(const Instruction& i, const FieldInfo& f, size_t element) {
  const uint64_t v = i.get(f, element);
  if (f.format == FieldFormat::integer && f.width < 64 && (v >> (f.width - 1) & 1U) != 0) {
    return std::to_string(static_cast<int64_t>(v) - (int64_t{1} << f.width));
  }
  return std::to_string(f.format == FieldFormat::count ? v + 1 : v);
}

}  // namespace

// The instructions of one opcode and use in one step.
struct ClassComparison::Cell {
  Use use = Use::order;
  size_t step = 0;
  std::vector<const Instruction*> ours, theirs;
};

// What belongs to no step is in step 0; what belongs to one that the other program has not, alone.
void ClassComparison::sort(const std::vector<Instruction>& program, const Uses& uses,
                           const std::vector<size_t>& steps, bool mine, Cells& cells) {
  for (size_t n = 0; n < program.size(); ++n) {
    const UseOf& of = uses.of[n];
    const size_t step = of.use == Use::loading || of.step == kNoStep ? 0 : steps[of.step];
    Cell alone{of.use, step, {}, {}};
    Cell& cell = step == kNoStep ? alone : cells[{step, of.use, program[n].opcode()}];
    cell.use = of.use, cell.step = step;
    (mine ? cell.ours : cell.theirs).push_back(&program[n]);
    if (step == kNoStep) compare(alone);
  }
}

namespace {

// Where as many steps of both stand between two pairs: those of them that are the same layer.
void pair_between(const Uses& a, const Uses& b, const std::vector<Instruction>& ours,
                  const std::vector<Instruction>& theirs, std::vector<size_t>& step_a,
                  std::vector<size_t>& step_b) {
  size_t next = 0;
  for (const size_t k : step_a) next += k == kNoStep ? 0 : 1;
  for (size_t x = 0, y = 0; x < step_a.size() || y < step_b.size();) {
    const size_t begin_x = x, begin_y = y;
    while (x < step_a.size() && step_a[x] == kNoStep) ++x;
    while (y < step_b.size() && step_b[y] == kNoStep) ++y;
    if (x - begin_x == y - begin_y) {
      for (size_t k = 0; k < x - begin_x; ++k) {
        if (!same_loops(a.steps[begin_x + k], b.steps[begin_y + k], ours, theirs)) continue;
        step_a[begin_x + k] = step_b[begin_y + k] = ++next;
      }
    }
    ++x, ++y;
  }
}

}  // namespace

bool ClassComparison::add(const std::vector<Instruction>& ours,
                          const std::vector<Instruction>& theirs, bool loading) {
  const Uses a = uses_of(ours, loading), b = uses_of(theirs, loading);
  if (std::max(a.steps.size(), b.steps.size()) > kMostSteps) return false;
  const auto pairs = aligned(
      a.steps.size(), b.steps.size(),
      [&](size_t x, size_t y) { return alike(a.steps[x], b.steps[y], ours, theirs); }, false);
  std::vector<size_t> step_a(a.steps.size(), kNoStep), step_b(b.steps.size(), kNoStep);
  for (size_t k = 0; k < pairs.size(); ++k) {
    step_a[pairs[k].ours] = step_b[pairs[k].theirs] = k + 1;
  }
  pair_between(a, b, ours, theirs, step_a, step_b);
  Cells cells;
  sort(ours, a, step_a, true, cells);
  sort(theirs, b, step_b, false, cells);
  for (const auto& [key, cell] : cells) {
    if ((cell.ours.size() + 1) * (cell.theirs.size() + 1) > kMostCells) return false;
    compare(cell);
  }
  return true;
}

namespace {

// Equal instructions have equal numbers: without waits, without the place of a block, without the
// place but with waits.
struct Compared {
  size_t still = 0, rested = 0, waited = 0;
};

std::vector<Compared> compared(const std::vector<const Instruction*>& all, Use use, Names& names) {
  std::vector<Compared> made;
  for (const Instruction* i : all) {
    const auto named = [&](const FieldTest& drop) { return names.of(without(*i, drop)); };
    Compared c;
    c.still = named([](const FieldInfo& f) { return is_counter(f.name); });
    c.rested = named([&](const FieldInfo& f) { return is_counter(f.name) || is_rest(use, f); });
    c.waited = named([&](const FieldInfo& f) { return f.name == "operation" || is_rest(use, f); });
    made.push_back(c);
  }
  return made;
}

uint32_t score_of(const Compared& a, const Compared& b) {
  if (a.rested != b.rested) return 0;
  return 4U + (a.still == b.still ? 2U : 0U) + (a.waited == b.waited ? 1U : 0U);
}

}  // namespace

void ClassComparison::compare(const Cell& cell) {
  UseLikeness& row = row_of(cell.use);
  row.ours += cell.ours.size(), row.theirs += cell.theirs.size();
  if (cell.use == Use::order) return;  // waits for engines: nothing of a step
  Names names;
  const auto a = compared(cell.ours, cell.use, names), b = compared(cell.theirs, cell.use, names);
  const auto pairs = aligned(
      a.size(), b.size(), [&](size_t x, size_t y) { return score_of(a[x], b[y]); }, true);
  std::vector<bool> paired(b.size(), false);
  for (const Pair& p : pairs) {
    const Compared &x = a[p.ours], &y = b[p.theirs];
    paired[p.theirs] = true;
    const bool equal = x.rested == y.rested, all = equal && x.waited == y.waited;
    row.equal += x.still == y.still ? 1 : 0;
    row.rested += equal ? 1 : 0, row.waited += all ? 1 : 0;
    if (!all) note(cell, cell.ours[p.ours], *cell.theirs[p.theirs]);
  }
  row.extra += cell.ours.size() - pairs.size();
  for (size_t k = 0; k < paired.size(); ++k) {
    if (!paired[k]) note(cell, nullptr, *cell.theirs[k]);
  }
}

// Why an instruction of theirs has no equal one.
void ClassComparison::note(const Cell& cell, const Instruction* ours, const Instruction& theirs) {
  std::string fields, example, waits;
  size_t shown = 0;
  for (const FieldInfo& f : fields_of(theirs.opcode())) {
    if (ours == nullptr || f.name == "operation" || is_rest(cell.use, f)) continue;
    size_t k = 0;
    while (k < f.elements && ours->get(f, k) == theirs.get(f, k)) ++k;
    if (k == f.elements) continue;
    const std::string name(f.name);
    (is_counter(f.name) ? waits : fields) +=
        (is_counter(f.name) ? waits : fields).empty() ? name : ", " + name;
    if (++shown > 2) continue;
    example += (example.empty() ? " " : ", ") + name + " " + value_text(*ours, f, k) + ", theirs " +
               value_text(theirs, f, k);
  }
  Difference cause;
  cause.use = cell.use;
  cause.what = std::string(theirs.info->name) + " ";
  if (ours == nullptr) {
    cause.what += cell.step == kNoStep ? "of a step that ours has not" : "missing";
  } else if (!fields.empty()) {
    cause.what += fields;
  } else {
    cause.waits = !waits.empty();
    cause.what += waits.empty() ? "bits without a name" : waits;
  }
  if (!is_body(cell.use)) return;
  Difference& all = causes_.try_emplace({cell.use, cause.what}, cause).first->second;
  if (all.count++ == 0 && ours != nullptr && !example.empty()) {
    all.example = "step " + std::to_string(cell.step) + ":" + example;
  }
}

Classes ClassComparison::finish() const {
  Classes all;
  for (size_t k = 0; k < kUses; ++k) {
    if (rows_[k].ours + rows_[k].theirs == 0) continue;
    all.uses.push_back(rows_[k]);
    all.uses.back().use = static_cast<Use>(k);
  }
  for (const auto& [key, cause] : causes_) all.causes.push_back(cause);
  std::stable_sort(all.causes.begin(), all.causes.end(),
                   [](const Difference& a, const Difference& b) { return a.count > b.count; });
  return all;
}

}  // namespace edgetwin::edgetpu::compiler
