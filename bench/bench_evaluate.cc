// Pictures per second of evaluations: beside the network alone, with decoded pictures in memory and
// with PNG files, and with several workers. bench_evaluate MODEL [SAMPLES [RANKS]]; the processes
// of MPI are measured by `mpirun -n N bench_evaluate MODEL SAMPLES ranks`.
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

double rate_of(const std::string& model, const fs::path& data, int workers, Cluster* cluster) {
  EvaluateOptions o;
  o.task = "classify";
  o.data = data.string();
  o.workers = workers;
  o.cluster = cluster;
  const auto made = evaluate({Candidate{model, {}, {}}}, o);
  if (!made.ok()) {
    std::fputs(to_text(made.error()).c_str(), stderr);
    return 0.0;
  }
  return made->rate;
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
  // All processes of one machine share the folder of the first.
  const char* shared = std::getenv("EDGETWIN_BENCH_SET");
  Folder folder;
  if (shared == nullptr) {
    folder.path = fs::temp_directory_path() / ("bench_evaluate_" + std::to_string(samples));
    fs::create_directories(folder.path);
    if (!make_sets(folder.path, input, samples)) return 4;
  }
  const fs::path sets = shared != nullptr ? fs::path(shared) : folder.path;
  if (cluster != nullptr) {
    const auto start = std::chrono::steady_clock::now();
    (void)rate_of(model, sets / "set.npz", 1, cluster.get());
    const std::chrono::duration<double> s = std::chrono::steady_clock::now() - start;
    if (cluster->rank() == 0) {
      std::printf("%d ranks: %.1f pictures per second, start and end included\n", cluster->size(),
                  static_cast<double>(samples) / s.count());
    }
    return 0;
  }
  const auto given = read_inputs({"xs32:1"}, **runner);
  const auto times = measure(**runner, given->tensors, 50);
  if (!times.ok()) return 3;
  const double alone = 1e6 / times->median;
  const double memory = rate_of(model, sets / "set.npz", 1, nullptr);
  const double files = rate_of(model, sets / "set.txt", 1, nullptr);
  const double two = rate_of(model, sets / "set.txt", 2, nullptr);
  std::printf("network alone     %10.1f per second\n", alone);
  std::printf("decoded pictures  %10.1f per second, %.1f %%\n", memory, 100 * memory / alone);
  std::printf("PNG files         %10.1f per second, %.1f %%\n", files, 100 * files / alone);
  std::printf("PNG, 2 workers    %10.1f per second, efficiency %.1f %%\n", two,
              100 * two / (2 * files));
  return 0;
}
