// Compiled Edge TPU models with their engines side by side: the same bytes as in the order of the
// program, races, standstills, and how many planted faults are found.
//   bench_edgetpu_sync bytes SEEDS FILE...    first the fixed order, then SEEDS adversarial ones
//   bench_edgetpu_sync races FILE...          vector clocks over narrow and wide memory
//   bench_edgetpu_sync exact SEEDS FILE...    as bytes, with lines counted as the words they hold,
//                                             and races
//   bench_edgetpu_sync faults NUMBER FILE...  so many changes of waits and producers in each file
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/file.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/faults.h"
#include "targets/edgetpu/sync/sync.h"

namespace {

using namespace edgetwin;
using edgetpu::sync::SyncMachine;
using edgetpu::sync::SyncOptions;

std::vector<Bytes> inputs_for(const darwinn::Executable& e, uint32_t seed) {
  std::vector<Bytes> all;
  for (const darwinn::Layer& layer : e.inputs) {
    Bytes bytes(static_cast<size_t>(std::max(0, layer.size_bytes)));
    for (std::byte& b : bytes) {
      seed ^= seed << 13U;
      seed ^= seed >> 17U;
      seed ^= seed << 5U;
      b = static_cast<std::byte>(seed >> 11U);
    }
    all.push_back(std::move(bytes));
  }
  return all;
}

std::vector<ByteSpan> spans(const std::vector<Bytes>& all) { return {all.begin(), all.end()}; }

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void print_standstill(const edgetpu::sync::SyncReport& report) {
  if (!report.standstill) return;
  size_t shown = 0;
  for (const auto& w : report.standstill->waiting) {
    if (++shown > 12) break;
    std::printf("    %s, %s: %s\n", w.engine.c_str(), w.step.c_str(), w.reason.c_str());
  }
}

// "equal", "different", "stands still" or an error.
std::string run_once(const darwinn::Package& package, const SyncOptions& options,
                     const std::vector<Bytes>& inputs, const std::vector<Bytes>& expected) {
  auto made = SyncMachine::make(package, options);
  if (!made.ok()) return to_text(made.error());
  if (made->caching().standstill) {
    print_standstill(made->caching());
    return "the parameter-caching program stands still";
  }
  const auto ran = made->run(spans(inputs));
  if (!ran.ok()) return to_text(ran.error());
  if (made->report().standstill) {
    print_standstill(made->report());
    return "stands still";
  }
  return *ran == expected ? "equal" : "different";
}

void bytes_of(const darwinn::Package& package, const std::string& name, uint64_t seeds,
              bool exact) {
  const auto inputs = inputs_for(*package.inference(), 1);
  double start = seconds();
  auto machine = edgetpu::machine::Machine::make(package);
  auto expected =
      machine.ok() ? machine->run(spans(inputs)) : Result<std::vector<Bytes>>(machine.error());
  if (!expected.ok()) {
    std::printf("%s: machine: %s\n", name.c_str(), to_text(expected.error()).c_str());
    return;
  }
  const double in_order = seconds() - start;
  start = seconds();
  SyncOptions fixed_order;
  fixed_order.exact_lines = exact;
  const std::string fixed = run_once(package, fixed_order, inputs, *expected);
  const double side_by_side = seconds() - start;
  std::map<std::string, size_t> seeded;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SyncOptions options;
    options.seed = seed;
    options.exact_lines = exact;
    ++seeded[run_once(package, options, inputs, *expected)];
  }
  std::printf("%s: fixed order %s", name.c_str(), fixed.c_str());
  for (const auto& [what, n] : seeded) std::printf(", %zu seeds %s", n, what.c_str());
  std::printf(" (%.2f s in order, %.2f s side by side)\n", in_order, side_by_side);
  std::fflush(stdout);
}

void print_races(const edgetpu::sync::SyncReport& r) {
  size_t shown = 0;
  for (const auto& race : r.races) {
    if (++shown > 6) break;
    std::printf("    %s: %s, place %lld, %llu accesses, tiles %x: %s; %s\n",
                std::string(edgetpu::sync::name(race.memory)).c_str(),
                std::string(edgetpu::sync::name(race.kind)).c_str(),
                static_cast<long long>(race.place), static_cast<unsigned long long>(race.count),
                race.tiles, r.steps[race.step].c_str(), r.steps[race.other].c_str());
  }
}

void races_of(const darwinn::Package& package, const std::string& name, bool exact) {
  SyncOptions options;
  options.exact_lines = exact;
  options.races = true;
  const double start = seconds();
  auto made = SyncMachine::make(package, options);
  if (!made.ok()) {
    std::printf("%s: %s\n", name.c_str(), to_text(made.error()).c_str());
    return;
  }
  const auto inputs = inputs_for(*package.inference(), 1);
  const auto ran = made->run(spans(inputs));
  const auto& r = made->report();
  std::printf("%s: %s, caching %zu races, inference %zu races, %llu reads, %llu writes (%.2f s)\n",
              name.c_str(), ran.ok() ? r.standstill ? "stands still" : "ends" : "error",
              made->caching().races.size(), r.races.size(),
              static_cast<unsigned long long>(r.checked.reads),
              static_cast<unsigned long long>(r.checked.writes), seconds() - start);
  if (!ran.ok()) std::printf("    %s\n", to_text(ran.error()).c_str());
  print_standstill(r);
  print_races(made->caching());
  print_races(r);
  std::fflush(stdout);
}

void faults_of(const darwinn::Package& package, const std::string& name, size_t number) {
  const auto inputs = inputs_for(*package.inference(), 1);
  const auto found = edgetpu::sync::plant_faults(package, spans(inputs), number, 1);
  if (!found.ok()) {
    std::printf("%s: %s\n", name.c_str(), to_text(found.error()).c_str());
    return;
  }
  std::map<std::pair<std::string, std::string>, size_t> table;
  for (const auto& f : *found) {
    ++table[{f.what, std::string(edgetpu::sync::name(f.outcome))}];
    if (f.outcome == edgetpu::sync::FaultOutcome::missed) {
      std::printf("    missed: %s\n", f.place.c_str());
    }
  }
  for (const auto& [key, n] : table) {
    std::printf("%s: %s: %s %zu\n", name.c_str(), key.first.c_str(), key.second.c_str(), n);
  }
  std::fflush(stdout);
}

int usage() {
  std::fprintf(stderr,
               "bench_edgetpu_sync bytes SEEDS | races | exact SEEDS | faults NUMBER  FILE...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return usage();
  const std::string mode = argv[1];
  const bool counted = mode == "bytes" || mode == "faults" || mode == "exact";
  if (!counted && mode != "races") return usage();
  const uint64_t number = counted ? std::strtoull(argv[2], nullptr, 10) : 0;
  for (int k = counted ? 3 : 2; k < argc; ++k) {
    const std::string path = argv[k];
    const auto data = read_file(path);
    if (!data.ok()) continue;
    const auto file = darwinn::read(*data, path);
    if (!file.ok()) {
      std::printf("%s: %s\n", path.c_str(), to_text(file.error()).c_str());
      continue;
    }
    for (const darwinn::CompiledOp& op : file->ops) {
      for (const darwinn::Package& package : op.packages) {
        const std::string name = path.substr(path.rfind('/') + 1);
        if (package.inference() == nullptr) continue;
        const bool exact = mode == "exact";
        if (mode == "bytes" || exact) bytes_of(package, name, number, exact);
        if (mode == "races" || exact) races_of(package, name, exact);
        if (mode == "faults") faults_of(package, name, number);
      }
    }
  }
  return 0;
}
