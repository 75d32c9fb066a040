#include "lut/fencepost.h"

#include <algorithm>
#include <cstdlib>

#include "lut/table.h"

namespace edgetwin::lut {
namespace {

constexpr int kFenceInputs = 65536;
constexpr int kFenceLow = -32768;

bool is_complete(const TableForm& f) {
  if (f.bits == 8) return true;
  return f.step == 1 ? f.count >= kFenceInputs : kFenceInputs % (f.count - 1) == 0;
}

std::optional<int> intended(const TableForm& f, std::optional<int> declared) {
  if (kFenceInputs % f.count == 0) return static_cast<int>(kFenceInputs / f.count);
  if (!declared || *declared < 2 || *declared > kMaxStep) return std::nullopt;
  const int64_t meant = exporter_entries(*declared);
  return f.count == meant || f.count == meant - 1 ? declared : std::nullopt;
}

// The highest entry that input u uses, and whether its value has a part in the output.
struct Use {
  int64_t index;
  bool matters;
};

Use use_of(int u, int step, LutRule rule, Rounding ties) {
  if (step == 1) return {u, true};
  const int i = u / step;
  const int r = u % step;
  if (rule == LutRule::interpolate) return {i + 1, r != 0};
  const bool tie_up = ties != Rounding::half_even || i % 2 != 0;
  const bool up = 2 * r > step || (2 * r == step && tie_up);
  return {up ? i + 1 : i, true};
}

int output(const std::vector<int16_t>& table, int step, int u, LutRule rule, Rounding ties) {
  const auto x = static_cast<int16_t>(u + kFenceLow);
  return rule == LutRule::interpolate ? numerics::lut16_interpolate(table.data(), step, x)
                                      : numerics::lut16_nearest(table.data(), step, x, ties);
}

std::vector<int16_t> padded(const Tensor& table, int step) {
  const auto entries = table.as<int16_t>();
  std::vector<int16_t> copy(entries.begin(), entries.end());
  copy.resize(std::max(copy.size(), static_cast<size_t>((kFenceInputs - 1) / step + 2)), 0);
  return copy;
}

void count_reads(const TableForm& f, LutRule rule, Rounding ties, Fencepost& result) {
  for (int u = 0; u < kFenceInputs; ++u) {
    const Use use = use_of(u, f.step, rule, ties);
    if (use.index < f.count) continue;
    if (result.reads_beyond++ == 0) result.first_beyond = u + kFenceLow;
    result.last_beyond = u + kFenceLow;
    if (use.matters) ++result.undefined;
  }
}

// Inputs whose output is defined with both steps, and not the same.
void count_wrong(const Tensor& table, const TableForm& f, LutRule rule, Rounding ties,
                 Fencepost& result) {
  const int meant = *result.intended_step;
  const std::vector<int16_t> taken_table = padded(table, f.step);
  const std::vector<int16_t> meant_table = padded(table, meant);
  for (int u = 0; u < kFenceInputs; ++u) {
    const Use taken_use = use_of(u, f.step, rule, ties);
    const Use meant_use = use_of(u, meant, rule, ties);
    if (taken_use.index >= f.count && taken_use.matters) continue;
    if (meant_use.index >= f.count && meant_use.matters) continue;
    const int difference = std::abs(output(taken_table, f.step, u, rule, ties) -
                                    output(meant_table, meant, u, rule, ties));
    if (difference == 0) continue;
    ++result.wrong;
    result.largest_wrong = std::max(result.largest_wrong, difference);
  }
}

void write_proof(LutRule rule, Fencepost& r) {
  const std::string count = std::to_string(r.count);
  if (r.intended_step) {
    const std::string step = std::to_string(*r.intended_step);
    r.proof.push_back("step " + step + ": 65536 / " + step + " segments have " +
                      std::to_string(r.needed) + " ends; the table has " + count + " entries");
  }
  r.proof.push_back("the runtime derives its step: 65536 / (" + count +
                    " - 1) = " + std::to_string(r.derived_step));
  if (!r.runs) {
    r.proof.push_back("the nearest rule shifts, and stops at a step that is no power of two");
    return;
  }
  if (r.reads_beyond > 0) {
    const std::string who = r.reads_beyond == 1
                                ? "input " + std::to_string(r.first_beyond) + " reads"
                                : std::to_string(r.reads_beyond) + " inputs, " +
                                      std::to_string(r.first_beyond) + " to " +
                                      std::to_string(r.last_beyond) + ", read";
    r.proof.push_back(who + " T[" + count + "] or beyond, which is whatever follows in memory; " +
                      std::to_string(r.undefined) + " outputs depend on it");
  }
  if (r.wrong > 0) {
    r.proof.push_back(std::to_string(r.wrong) + " further outputs of the rule '" +
                      std::string(name(rule)) + "' are not those of step " +
                      std::to_string(*r.intended_step) + ", by up to " +
                      std::to_string(r.largest_wrong) + " LSB");
  }
}

}  // namespace

Error Fencepost::error() const {
  const bool last_only = intended_step && needed == count + 1;
  Error e(ErrorCode::lut_fencepost,
          last_only ? "the table lacks its last entry: it has " + std::to_string(count) +
                          " and needs " + std::to_string(needed)
                    : "a table of " + std::to_string(count) + " entries has no usable step");
  e.details = proof;
  return e;
}

Result<Fencepost> check_fencepost(const Tensor& table, LutRule rule, Rounding ties,
                                  std::optional<int> declared_step) {
  EDGETWIN_TRY_ASSIGN(const TableForm f, form(table));
  Fencepost result;
  result.count = f.count;
  result.derived_step = f.step;
  result.complete = is_complete(f);
  if (result.complete) {
    result.intended_step = f.step;
    result.needed = f.count;
    return result;
  }
  result.intended_step = intended(f, declared_step);
  if (result.intended_step) {
    result.needed = exporter_entries(*result.intended_step);
  }
  const bool power = numerics::lut_step_is_power_of_two(f.step);
  result.runs = rule == LutRule::interpolate || power;
  if (result.runs) {
    count_reads(f, rule, ties, result);
    const bool comparable =
        result.intended_step && *result.intended_step != 1 &&
        (rule == LutRule::interpolate || numerics::lut_step_is_power_of_two(*result.intended_step));
    if (comparable) count_wrong(table, f, rule, ties, result);
  }
  write_proof(rule, result);
  return result;
}

}  // namespace edgetwin::lut
