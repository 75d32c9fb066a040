// Networks for MAX78000: the whole command `compile`, with reading and writing, and the simulation
// alone, beside the times that the vendor's loader needed on one machine (Python, NumPy).
//
//   EDGETWIN_SHARED_DATA=... bench_max78 PROGRAM [--rounds N]
//
// The best of N runs counts, as whatever else the machine does can only slow a run down. Exit code
// 1 where a command is less than 50 times or a simulation less than 20 times as fast.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string_view>

#include "golden/max78_cases.h"

namespace edgetwin::bench {
namespace {

using golden::Max78Case;

constexpr double kCommandGoal = 50, kSimulationGoal = 20;

// Seconds of the vendor's loader.
struct Baseline {
  const char* name;
  double command, simulation;
};
constexpr Baseline kBaselines[] = {
    {"mnist", 1.5, 0.006},
    {"cifar-10", 2.7, 0.024},
    {"camvid_unet", 3.6, 0.117},
    // The one with the most operations.
    {"facedet_tinierssd", 28, 5.3},
};

double best_of(int rounds, const std::function<bool()>& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!run()) return std::numeric_limits<double>::infinity();
    const auto end = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double>(end - start).count());
  }
  return best;
}

bool spawn(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const bool started = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && status == 0;
}

// Of the processor, in all commands so far.
double processor_seconds() {
  rusage use = {};
  getrusage(RUSAGE_CHILDREN, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

double command_seconds(const std::string& program, const nlohmann::json& row, int rounds,
                       const std::filesystem::path& folder) {
  const auto file = [&](const char* key) {
    return (golden::max78_root() / row[key].get<std::string>()).string();
  };
  std::vector<std::string> words = {program,        "compile",      file("yaml"),       "--target",
                                    "max78000",     "--checkpoint", file("checkpoint"), "--sample",
                                    file("sample"), "-o",           folder.string(),    "--force"};
  for (const auto& option : row["options"]) words.push_back(option);
  return best_of(rounds, [&] { return spawn(words); });
}

double simulation_seconds(const nlohmann::json& row, int rounds) {
  const auto c = golden::load_case(row, ai8x::Device::max78000, row["options"]);
  if (!c->refused.empty()) return std::numeric_limits<double>::infinity();
  auto simulation = max78::Simulation::make(c->plan(), {.trace = false});
  if (!simulation.ok()) return std::numeric_limits<double>::infinity();
  return best_of(rounds, [&] { return simulation->run(c->sample).ok(); });
}

int measure(const std::string& program, int rounds) {
  namespace fs = std::filesystem;
  const nlohmann::json cases = golden::max78_cases();
  const fs::path folder =
      fs::temp_directory_path() / ("edgetwin_bench_" + std::to_string(getpid()));
  bool fast = true;
  std::printf("%-20s %12s %10s %14s %14s %10s\n", "network", "command ms", "faster", "of it CPU ms",
              "simulation ms", "faster");
  for (const Baseline& b : kBaselines) {
    for (const auto& row : cases) {
      if (row["name"] != b.name) continue;
      const double before = processor_seconds();
      const double command = command_seconds(program, row, rounds, folder);
      const double processor = (processor_seconds() - before) / rounds;
      const double simulation = simulation_seconds(row, 2 * rounds);
      std::printf("%-20s %12.1f %9.0fx %14.1f %14.2f %9.0fx\n", b.name, command * 1e3,
                  b.command / command, processor * 1e3, simulation * 1e3,
                  b.simulation / simulation);
      fast = fast && b.command / command >= kCommandGoal &&
             b.simulation / simulation >= kSimulationGoal;
    }
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return fast ? 0 : 1;
}

}  // namespace
}  // namespace edgetwin::bench

int main(int argc, char** argv) {
  int rounds = 10;
  if (argc == 4 && std::string_view(argv[2]) == "--rounds") rounds = std::atoi(argv[3]);
  if ((argc != 2 && argc != 4) || rounds < 1 || edgetwin::golden::shared_data().empty()) {
    std::fputs("usage: EDGETWIN_SHARED_DATA=DIR bench_max78 PROGRAM [--rounds N]\n", stderr);
    return 2;
  }
  return edgetwin::bench::measure(argv[1], rounds);
}
