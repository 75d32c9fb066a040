// Speed of a sweep over all 65,536 inputs of a table, beside the plain loop over the functions that
// define it (numerics/lut.h), in the same run.
//
//   lut_sweep [--rounds N] [--json]
//
// Both take turns; the best sample of each counts, as whatever else the machine does can only slow
// a sample down. Both outputs are compared before anything is measured.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "lut/sweep.h"
#include "lut/table.h"

namespace edgetwin::bench {
namespace {

using lut::LutRule;
using numerics::Rounding;

constexpr int kInputs = 65536;

// Kept out of line: the step must not become a constant that a real loop would not have.
[[gnu::noinline]] void plain_interpolate(const int16_t* table, int step, int16_t* out) {
  for (int u = 0; u < kInputs; ++u) {
    out[u] = numerics::lut16_interpolate(table, step, static_cast<int16_t>(u - 32768));
  }
}

[[gnu::noinline]] void plain_nearest(const int16_t* table, int step, Rounding ties, int16_t* out) {
  for (int u = 0; u < kInputs; ++u) {
    out[u] = numerics::lut16_nearest(table, step, static_cast<int16_t>(u - 32768), ties);
  }
}

template <class Run>
double microseconds(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

struct Line {
  int step;
  const char* rule;
  double plain, ours;
};

template <class Plain, class Ours>
bool measure(Line line, int rounds, const Plain& plain, const Ours& ours,
             std::vector<Line>& lines) {
  std::vector<int16_t> expected(kInputs);
  std::vector<int16_t> got(kInputs);
  plain(expected.data());
  ours(got.data());
  if (expected != got) {
    std::fprintf(stderr, "step %d %s: the sweeps differ\n", line.step, line.rule);
    return false;
  }
  line.plain = line.ours = 1e9;
  for (int i = 0; i < rounds; ++i) {
    line.plain = std::min(line.plain, microseconds([&] { plain(expected.data()); }));
    line.ours = std::min(line.ours, microseconds([&] { ours(got.data()); }));
  }
  lines.push_back(line);
  return true;
}

bool measure_step(int step, int rounds, std::vector<Line>& lines) {
  lut::TableSpec spec;
  spec.function = lut::Function::swish;
  spec.in_exponent = spec.out_exponent = -12;
  spec.step = step;
  const auto built = lut::build(spec);
  if (!built.ok()) return false;
  const int16_t* t = built->as<int16_t>().data();
  bool good = measure(
      {step, "interpolate", 0, 0}, rounds, [&](int16_t* out) { plain_interpolate(t, step, out); },
      [&](int16_t* out) { lut::sweep_interpolate(t, step, out); }, lines);
  for (const Rounding ties : {Rounding::half_even, Rounding::half_up}) {
    const char* rule = ties == Rounding::half_even ? "nearest half_even" : "nearest half_up";
    good = good &&
           measure(
               {step, rule, 0, 0}, rounds, [&](int16_t* out) { plain_nearest(t, step, ties, out); },
               [&](int16_t* out) { lut::sweep_nearest(t, step, ties, out); }, lines);
  }
  return good;
}

// A step that no good table has: 257, of 256 entries.
bool measure_odd_step(int rounds, std::vector<Line>& lines) {
  std::vector<int16_t> t(257);
  for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<int16_t>(i * i * 31);
  return measure(
      {257, "interpolate", 0, 0}, rounds,
      [&](int16_t* out) { plain_interpolate(t.data(), 257, out); },
      [&](int16_t* out) { lut::sweep_interpolate_any_step(t.data(), 257, out); }, lines);
}

void print(const std::vector<Line>& lines, bool json) {
  double least = 1e9;
  double slowest_nearest = 0;
  for (const Line& l : lines) {
    least = std::min(least, l.plain / l.ours);
    if (l.rule[0] == 'n') slowest_nearest = std::max(slowest_nearest, l.ours);
  }
  if (json) {
    std::printf(
        "{\"unit\": \"us\", \"least_ratio\": %.2f, \"slowest_nearest\": %.2f, \"lines\": [\n",
        least, slowest_nearest);
    for (const Line& l : lines) {
      std::printf(" {\"step\": %d, \"rule\": \"%s\", \"plain\": %.2f, \"ours\": %.2f}%s\n", l.step,
                  l.rule, l.plain, l.ours, &l == &lines.back() ? "" : ",");
    }
    std::printf("]}\n");
    return;
  }
  std::printf("%6s  %-18s %10s %10s %8s\n", "step", "rule", "plain us", "ours us", "ratio");
  for (const Line& l : lines) {
    std::printf("%6d  %-18s %10.1f %10.1f %8.1f\n", l.step, l.rule, l.plain, l.ours,
                l.plain / l.ours);
  }
  std::printf("at least %.1f times as fast; the nearest rule takes at most %.1f us for a table\n",
              least, slowest_nearest);
}

int program(int argc, char** argv) {
  int rounds = 200;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      json = true;
    } else if (word == "--rounds" && i + 1 < argc) {
      rounds = std::clamp(std::atoi(argv[++i]), 1, 100000);
    } else {
      std::fprintf(stderr, "usage: lut_sweep [--rounds N] [--json]\n");
      return 2;
    }
  }
  std::vector<Line> lines;
  for (int step = 2; step <= 256; step *= 2) {
    if (!measure_step(step, rounds, lines)) return 1;
  }
  if (!measure_odd_step(rounds, lines)) return 1;
  print(lines, json);
  return 0;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) { return edgetwin::bench::program(argc, argv); }
