// How long the MAX7800x machine takes for register programs: bench_max78_machine PROGRAM.txt...
// Single thread; the median of eleven runs, each with a new machine; reading the text apart.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/file.h"
#include "targets/max78/machine/player/play.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::max78;

constexpr size_t kRuns = 11;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  const auto passed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration<double, std::milli>(passed).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

bool measure(const char* file) {
  const auto data = read_file(file);
  if (!data.ok()) {
    std::fputs(to_text(data.error()).c_str(), stderr);
    return false;
  }
  std::vector<double> reading, running;
  uint64_t steps = 0;
  for (size_t i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto program = read_program(as_text(*data), file);
    if (!program.ok()) {
      std::fputs(to_text(program.error()).c_str(), stderr);
      return false;
    }
    reading.push_back(milliseconds_since(start));
    const auto begin = std::chrono::steady_clock::now();
    Machine machine(program->device);
    const Status played = play(*program, machine);
    running.push_back(milliseconds_since(begin));
    if (!played.ok()) {
      std::fputs(to_text(played.error()).c_str(), stderr);
      return false;
    }
    steps = machine.steps();
  }
  std::printf("%-40s read %8.2f ms  run %8.2f ms  %llu steps\n", file, median(reading),
              median(running), static_cast<unsigned long long>(steps));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool ok = argc > 1;
  for (int i = 1; i < argc; ++i) ok = measure(argv[i]) && ok;
  return ok ? 0 : 1;
}
