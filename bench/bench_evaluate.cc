// Pictures per second of evaluations: beside the network alone, with decoded pictures in memory and
// with PNG files, and with several workers: bench_evaluate MODEL [SAMPLES]. Processes of MPI beside
// one alone: `mpirun -n N bench_evaluate MODEL SAMPLES`, all on one machine.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/rng.h"
#include "cluster/cluster.h"
#include "edgetwin/evaluate.h"
#include "edgetwin/measure.h"
#include "image/image.h"
#include "tensor/npy.h"

namespace {

using namespace edgetwin;
namespace fs = std::filesystem;

// Thrown away at the end.
struct Folder {
  fs::path path;
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

Tensor noise(int64_t height, int64_t width, int64_t channels, uint32_t seed) {
  Tensor t = *Tensor::zeros(DType::uint8, {height, width, channels});
  XorShift32 random(seed);
  for (std::byte& b : t.data) b = static_cast<std::byte>(random.byte());
  return t;
}

// The same pictures as one array and as files.
bool make_sets(const fs::path& folder, const Shape& input, int64_t samples) {
  const int64_t h = input[1], w = input[2], c = input[3];
  Tensor x = *Tensor::zeros(DType::uint8, {samples, h, w, c});
  Tensor y = *Tensor::zeros(DType::uint8, {samples});
  x.name = "x";
  y.name = "y";
  std::string list;
  const auto size = static_cast<size_t>(h * w * c);
  for (int64_t i = 0; i < samples; ++i) {
    const Tensor picture = noise(h, w, c, static_cast<uint32_t>(i) + 1);
    std::copy(picture.data.begin(), picture.data.end(),
              x.data.begin() + static_cast<int64_t>(size) * i);
    const std::string name = std::to_string(i) + ".png";
    const auto png = encode_png(picture);
    if (!png.ok() || !write_file(folder / name, *png, Overwrite::yes).ok()) return false;
    list += name + "\t0\n";
  }
  const auto npz = write_npz({x, y});
  return npz.ok() && write_file(folder / "set.npz", *npz, Overwrite::yes).ok() &&
         write_file(folder / "set.txt", list, Overwrite::yes).ok();
}

// Seconds of this process on its processors: other work on the machine does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Rates {
  double wall = 0.0;  // samples per second
  double cpu = 0.0;   // samples per second of processor, opening not counted
};

Rates rate_of(const std::string& model, const fs::path& data, int workers, Cluster* cluster) {
  EvaluateOptions o;
  o.task = "classify";
  o.data = data.string();
  o.workers = workers;
  o.cluster = cluster;
  double begun = 0.0;
  double ended = 0.0;
  o.progress = [&](double, std::string_view) {
    ended = cpu_seconds();
    if (begun == 0.0) begun = ended;
  };
  const auto made = evaluate({Candidate{model, {}, {}}}, o);
  if (!made.ok()) {
    std::fputs(to_text(made.error()).c_str(), stderr);
    return {};
  }
  // From the end of the first block to that of the last.
  const double computed = static_cast<double>(made->samples) - 32.0;
  return {made->rate, ended > begun ? computed / (ended - begun) : 0.0};
}

// Samples per second from start to end: opening and gathering count.
double whole_rate(const std::string& model, const fs::path& data, int64_t samples,
                  Cluster* cluster) {
  const auto start = std::chrono::steady_clock::now();
  const Rates rates = rate_of(model, data, 1, cluster);
  const std::chrono::duration<double> s = std::chrono::steady_clock::now() - start;
  const bool counted = cluster == nullptr || cluster->rank() == 0;
  return counted && rates.wall <= 0.0 ? 0.0 : static_cast<double>(samples) / s.count();
}

// The first rank alone, while the others wait, then all of them. A counter of blocks serves one
// evaluation: repeat the command for another.
int bench_ranks(const std::string& model, const fs::path& data, int64_t samples, Cluster& cluster) {
  double alone = 0.0;
  if (cluster.rank() == 0) {
    (void)whole_rate(model, data, samples, nullptr);  // the file is in memory afterwards
    alone = whole_rate(model, data, samples, nullptr);
  }
  if (!cluster.barrier().ok()) return 4;
  const double all = whole_rate(model, data, samples, &cluster);
  if (!cluster.barrier().ok()) return 4;
  if (cluster.rank() != 0) return 0;
  if (alone <= 0.0 || all <= 0.0) return 3;
  std::printf("1 rank %.1f, %d ranks %.1f pictures per second, efficiency %.1f %%\n", alone,
              cluster.size(), all, 100 * all / (alone * cluster.size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string model = argv[1];
  const int64_t samples = argc > 2 ? std::atoll(argv[2]) : 256;
  const auto network = Network::open(model);
  if (!network.ok()) return 3;
  const auto runner = network->runner();
  if (!runner.ok()) return 3;
  const Shape input = (*runner)->inputs()[0].shape;
  if (input.rank() != 4 || samples < 1) return 3;
  std::unique_ptr<Cluster> cluster;
  if (cluster::launched() > 1) {
    auto joined = cluster::join();
    if (!joined.ok()) return 4;
    cluster = std::move(*joined);
  }
  // The first process makes and removes it.
  const fs::path sets = fs::temp_directory_path() / ("bench_evaluate_" + std::to_string(samples));
  Folder folder;
  if (cluster == nullptr || cluster->rank() == 0) {
    folder.path = sets;
    fs::create_directories(sets);
    if (!make_sets(sets, input, samples)) return 4;
  }
  if (cluster != nullptr) {
    if (!cluster->barrier().ok()) return 4;
    return bench_ranks(model, sets / "set.npz", samples, *cluster);
  }
  const auto given = read_inputs({"xs32:1"}, **runner);
  const auto times = measure(**runner, given->tensors, 50);
  if (!times.ok()) return 3;
  // In turns, so that both see the same load of the machine; in all a third of a second and more.
  Rates memory;
  double alone_seconds = 0.0, evaluated_seconds = 0.0, runs = 0.0, evaluated = 0.0;
  const auto runs_each = static_cast<int>(std::min<int64_t>(samples, 100'000));
  while (alone_seconds < 0.3) {
    const double before = cpu_seconds();
    for (int i = 0; i < runs_each; ++i) (void)(*runner)->run(given->tensors);
    alone_seconds += cpu_seconds() - before;
    runs += runs_each;
    memory = rate_of(model, sets / "set.npz", 1, nullptr);
    if (memory.cpu <= 0.0) return 3;
    evaluated += 1.0;
    evaluated_seconds += 1.0 / memory.cpu;
  }
  const double alone = runs / alone_seconds;
  memory.cpu = evaluated / evaluated_seconds;
  const Rates files = rate_of(model, sets / "set.txt", 1, nullptr);
  const Rates two = rate_of(model, sets / "set.txt", 2, nullptr);
  std::printf("per second of processor (of the clock; the network alone: %.1f)\n",
              1e6 / times->median);
  std::printf("network alone     %10.1f\n", alone);
  std::printf("decoded pictures  %10.1f, %.1f %%  (%.1f)\n", memory.cpu, 100 * memory.cpu / alone,
              memory.wall);
  std::printf("PNG files         %10.1f, %.1f %%  (%.1f)\n", files.cpu, 100 * files.cpu / alone,
              files.wall);
  std::printf("PNG, 2 workers    %10.1f, %.1f %%  (%.1f, efficiency %.1f %%)\n", two.cpu,
              100 * two.cpu / alone, two.wall, 100 * two.wall / (2 * files.wall));
  return 0;
}
