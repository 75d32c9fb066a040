// From the files of a network to a network that is ready for a chip: description, parameters,
// sample, plan. docs/max78.md, "The pipeline".
//
//   NetworkSources files;
//   files.device = Device::max78000;
//   files.description = Source::file("net.yaml");
//   files.checkpoint = Source::file("net.pth.tar");
//   files.sample = Source::file("sample.npy");
//   const Loading loaded = load_network(files);
//   if (!loaded.ok()) ...                       // loaded.failure, loaded.findings
//   const LoadedNetwork& network = *loaded.network;
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "formats/ai8x/parameters.h"
#include "targets/max78/frame/frame.h"
#include "targets/max78/pipeline/source.h"
#include "targets/max78/plan/make_plan.h"
#include "targets/max78/planner/planner.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

// What a network is read from. Parameters are a checkpoint, or weights and perhaps biases.
// A sample named xs32:SEED is pseudo-random numbers of that seed.
struct NetworkSources {
  Device device = Device::max78000;
  Options options;
  Source description;
  Source checkpoint, weights, bias;
  // The input, one of: an .npy; pseudo-random numbers of a seed (see generated_input); its size
  // alone. Without any the size is what description and parameters state.
  Source sample;
  std::optional<uint32_t> sample_seed;
  std::optional<SampleShape> shape;
  // Of a sample that is a picture: its rows and columns, where nothing else states the size.
  std::optional<std::pair<int, int>> picture;
  // Of a sample that a camera sent: `sample` has the numbers that its frame becomes.
  std::optional<Frame> frame;
  // Without parameters pseudo-random ones stand in (stand_in.h): of a network that is judged before
  // it is trained. `weights` named xs32:SEED asks for them too, `bias` likewise.
  bool weightless = false;
  // Maps, offsets and gaps that the description leaves out are planned.
  bool plan = false;
  Objective objective = Objective::latency;
};

// Whether the network needs numbers as its input, or the size of the input is enough.
enum class SampleNeed : uint8_t { numbers, size_only };

// A network with all that belongs to it. The plan points into the rest, so that it stays where it
// was made.
struct LoadedNetwork {
  LoadedNetwork() = default;
  LoadedNetwork(const LoadedNetwork&) = delete;
  LoadedNetwork& operator=(const LoadedNetwork&) = delete;

  ai8x::Network network;
  ai8x::Parameters parameters;
  Tensor sample;  // int8, (channels, rows, columns); empty where only its size is known
  std::optional<Frame> frame;  // what the sample was made of, where a camera sent it
  Options options;
  Planning planning;
  // Of NetworkSources::plan: what was planned, and the description with it.
  std::optional<Planned> planned;
  std::string description;

  // Of a network that fits the chip (Loading::ok).
  const Plan& plan() const { return *planning.placed; }
};

enum class LoadStep : uint8_t { description, parameters, input, plan };

struct Loading {
  std::unique_ptr<LoadedNetwork> network;  // null where a step before the plan failed
  std::vector<Finding> findings;           // of all steps, in their order
  LoadStep step = LoadStep::description;   // the last one that was begun
  // Why a step could not be done at all: a file that cannot be read, an input that is missing.
  std::optional<Error> failure;
  std::optional<SampleShape> shape;  // of the input, once it is known
  // Of parameters that stand in: what was taken for what the description does not say.
  bool stands_in = false;
  std::vector<std::string> assumed;

  bool ok() const;  // the network fits the chip
};

// Codes of `failure`: those of reading files; usage where parameters are missing; input_missing
// where the input's numbers or size are; ai8x_sample; max78_option of --synthesize-input. Findings
// have the ids of the readers and of the chip's rules.
Loading load_network(const NetworkSources& sources, SampleNeed need = SampleNeed::numbers);

// The parameters alone. Errors: as above.
Result<ai8x::ParameterReading> read_parameters(const NetworkSources& sources,
                                               const ai8x::Network& network);
// What reading found: notes, warnings, errors; warnings of zeros only with `warn_zero`.
std::vector<Finding> findings_of(const ai8x::Report& report, bool warn_zero);

// The seed of "xs32:7"; nothing for other words. Error: usage for a seed that is none.
Result<std::optional<uint32_t>> seed_of(const std::string& word);

// "3x32x32": channels, rows, columns; sizes that are missing at the end are 1. Error: usage.
Result<SampleShape> read_shape(const std::string& text);

// int8 of (channels, rows, columns): bytes of the 32-bit xorshift (base/rng.h) from `seed` on,
// which must not be 0.
Tensor generated_input(const SampleShape& shape, uint32_t seed);

}  // namespace edgetwin::max78
