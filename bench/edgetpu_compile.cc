// Programs of our compiler beside the vendor's for the same networks: steps of the timed machine,
// instructions, bytes of programs and of narrow memory, and how long we compile.
//   bench_edgetpu_compile [FOLDER | NET_edgetpu.tflite]...   with NET.tflite beside or above
// Steps are no measurement: both are run by one model of costs (docs/edgetpu-sync.md).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/sync/sync.h"

namespace {

using namespace edgetwin;
namespace fs = std::filesystem;

Result<Model> model_of(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  return tflite::read(data, path.string());
}

// Of all programs for inferences of one file.
struct Side {
  size_t programs = 0, host = 0, instructions = 0, bytes = 0;
  int64_t narrow = 0, steps = 0;
  std::string error;
};

void add_steps(const darwinn::Package& package, Side& side) {
  edgetpu::sync::SyncOptions options;
  options.exact_lines = true;
  auto machine = edgetpu::sync::SyncMachine::make(package, options);
  if (!machine.ok()) {
    side.error = to_text(machine.error());
    return;
  }
  std::vector<Bytes> inputs;
  for (const darwinn::Layer& layer : package.inference()->inputs) {
    inputs.emplace_back(static_cast<size_t>(std::max(layer.size_bytes, 0)), std::byte{7});
  }
  const auto ran = machine->run({inputs.begin(), inputs.end()});
  if (!ran.ok()) side.error = to_text(ran.error());
  side.steps += machine->report().time;
}

void add_program(const darwinn::Package& package, Side& side) {
  const darwinn::Executable* program = package.inference();
  if (program == nullptr) return;
  ++side.programs;
  for (const auto& b : program->bitstreams) {
    side.bytes += b.data.size();
    side.instructions += edgetpu::parse(b.data).instructions.size();
  }
  side.narrow = std::max<int64_t>(side.narrow, program->narrow_memory_per_tile);
  add_steps(package, side);
}

Result<Side> theirs_of(const fs::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, path.string()));
  EDGETWIN_TRY_ASSIGN(const Model compiled, model_of(path));
  Side side;
  for (const darwinn::CompiledOp& op : file.ops) {
    for (const darwinn::Package& package : op.packages) add_program(package, side);
  }
  side.host = compiled.main().ops.size() - file.ops.size();
  return side;
}

Result<Side> ours_of(const fs::path& path, double& seconds) {
  EDGETWIN_TRY_ASSIGN(const Model model, model_of(path));
  const auto start = std::chrono::steady_clock::now();
  EDGETWIN_TRY_ASSIGN(const auto made, edgetpu::compiler::compile_model(model));
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Side side;
  for (const auto& group : made.partition.groups) add_program(group.package, side);
  for (const auto& op : made.partition.ops) side.host += op.group < 0 ? 1U : 0U;
  return side;
}

// Ours through theirs, over the networks of which both have the same operators on the host.
struct Means {
  double steps = 0, bytes = 0;
  int networks = 0, slower = 0, larger = 0, fuller = 0;
  void add(const Side& ours, const Side& theirs) {
    const auto ratio = [](auto a, auto b) {
      return std::log(static_cast<double>(a) / static_cast<double>(b));
    };
    ++networks;
    steps += ratio(ours.steps, theirs.steps);
    bytes += ratio(ours.bytes, theirs.bytes);
    slower += ours.steps > theirs.steps ? 1 : 0;
    larger += ours.bytes > theirs.bytes ? 1 : 0;
    fuller += ours.narrow > theirs.narrow ? 1 : 0;
  }
};

bool compare(const fs::path& compiled, const fs::path& source, Means& means) {
  const std::string name = source.stem().string();
  double seconds = 0;
  const auto ours = ours_of(source, seconds);
  const auto theirs = theirs_of(compiled);
  if (!ours.ok() || !theirs.ok()) {
    std::printf("%s: %s\n", name.c_str(),
                to_text(ours.ok() ? theirs.error() : ours.error()).c_str());
    return false;
  }
  std::printf(
      "| %s | %zu, %zu | %zu, %zu | %lld, %lld | %.3f | %zu, %zu | %zu, %zu | %lld, %lld | "
      "%.2f |\n",
      name.c_str(), ours->programs, theirs->programs, ours->host, theirs->host,
      static_cast<long long>(ours->steps), static_cast<long long>(theirs->steps),
      static_cast<double>(ours->steps) / static_cast<double>(theirs->steps), ours->instructions,
      theirs->instructions, ours->bytes, theirs->bytes, static_cast<long long>(ours->narrow),
      static_cast<long long>(theirs->narrow), seconds);
  std::fflush(stdout);
  if (ours->host == theirs->host) means.add(*ours, *theirs);
  const bool ran = ours->error.empty() && theirs->error.empty();
  if (!ran) std::printf("%s: %s %s\n", name.c_str(), ours->error.c_str(), theirs->error.c_str());
  return ran;
}

// net_edgetpu.tflite: net.tflite beside it or above.
fs::path source_of(const fs::path& compiled) {
  const std::string name = compiled.filename().string();
  const std::string source = name.substr(0, name.find("_edgetpu.")) + ".tflite";
  for (const fs::path& folder : {compiled.parent_path(), compiled.parent_path().parent_path()}) {
    if (fs::exists(folder / source)) return folder / source;
  }
  return {};
}

std::vector<fs::path> compiled_below(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().filename().string().ends_with("_edgetpu.tflite")) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_edgetpu_compile FOLDER | NET_edgetpu.tflite ...\n");
    return 2;
  }
  std::printf(
      "| network | programs | on the host | steps | through | instructions | program bytes |"
      " narrow bytes | seconds |\n|---|---|---|---|---|---|---|---|---|\n");
  Means means;
  bool good = true;
  for (int k = 1; k < argc; ++k) {
    for (const fs::path& compiled : compiled_below(argv[k])) {
      const fs::path source = source_of(compiled);
      if (!source.empty()) good = compare(compiled, source, means) && good;
    }
  }
  if (means.networks == 0) return good ? 0 : 1;
  const double n = means.networks;
  std::printf(
      "%d networks with the same operators on the host: steps %.3f, program bytes %.3f of "
      "theirs (geometric means); %d slower, %d of larger programs, %d of more memory\n",
      means.networks, std::exp(means.steps / n), std::exp(means.bytes / n), means.slower,
      means.larger, means.fuller);
  return good ? 0 : 1;
}
