// Quantizing for each family, with all that is known afterwards: for quantize_network() and for
// rooms that report more than it gives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgetwin/quantize.h"
#include "evaluate/parts/list_part.h"
#include "graph/graph.h"
#include "quantize/espdl/analyse.h"
#include "quantize/espdl/quantize.h"
#include "quantize/espdl/search.h"
#include "targets/max78/convert/convert.h"
#include "targets/max78/convert/trainable.h"
#include "verify/compare.h"

namespace edgetwin::twin {

// What a run needs beside the options; findings come in the order of noticing, also where it fails.
struct QuantizeRun {
  std::string file;  // of the network
  QuantizeOptions options;
  ProgressSink progress;
  std::function<void(const Finding&)> noticed;
};

struct EspdlQuantization {
  quantize::Settings settings;
  size_t samples = 0;
  quantize::Quantized quantized;
  std::optional<quantize::Analysis> analysis;
  std::optional<quantize::SearchResult> search;
  std::string missing;       // what the wish of the search lacks; empty: it was reached
  espdl::Document document;  // of the file
  Bytes file;                // NAME.espdl
  std::string info, config;  // NAME.info, NAME.json
};
Result<EspdlQuantization> quantize_for_espdl(const QuantizeRun& run);

// What is quantized and how, before anything is computed.
struct EspdlTask {
  Model model;
  std::vector<quantize::Sample> samples;
  quantize::Settings settings;
};
// `others`: the samples where no calibration data are named; null: that is an error.
using OtherSamples = std::function<Result<std::vector<quantize::Sample>>(const Graph&)>;
Result<EspdlTask> espdl_task(const QuantizeRun& run, const OtherSamples& others = nullptr);
// The files of q.quantized, with one sample and what the twin computes of it as test values; what
// speaks against them goes to `noticed`.
Status add_espdl_files(const QuantizeRun& run, const quantize::Sample& sample,
                       EspdlQuantization& q);

// --- One shard of --search (its points) or of --analyse (layers): quantize_share.cc.
Result<evaluation::ListPart> quantize_share(const QuantizeRun& run, uint64_t shard,
                                            uint64_t shards);
// The points of QuantizeOptions::measured, which must be those of this task. Errors: file_*,
// part_form, part_other.
Result<std::vector<quantize::SearchPoint>> measured_points(const QuantizeRun& run,
                                                           const EspdlTask& task);

struct TfliteQuantization {
  size_t samples = 0, operators = 0;
  Bytes file;
  // By output of the network: the integers as real numbers against the float network, one sample.
  struct Output {
    std::string name;
    verify::TensorDiff diff;
  };
  std::vector<Output> outputs;
  // Only where QuantizeOptions::analyse: over all samples, in the numerics of the target.
  std::optional<quantize::Analysis> analysis;
};
Result<TfliteQuantization> quantize_for_tflite(const QuantizeRun& run);

struct Max78Quantization {
  size_t samples = 0;
  std::optional<max78::Conversion> conversion;  // none: `misfits` says why
  std::vector<Error> misfits;
  max78::ConversionNoise noise;
};
Result<Max78Quantization> quantize_for_max78(const QuantizeRun& run);
// The same without processors, offsets and gaps, for the planner; nothing is measured. Without
// calibration data pseudo-random numbers stand in, with a warning.
// `fold`: max78::ConvertSettings::fold.
Result<Max78Quantization> unplaced_for_max78(const QuantizeRun& run, bool fold);

// What training for the MAX7800x begins with; the run's mean and std are those of bytes, 128 and
// 128 where it has none.
struct Max78Trainable {
  std::optional<max78::TrainableNetwork> network;  // none: `misfits` says why
  std::vector<Error> misfits;
};
Result<Max78Trainable> trainable_for_max78(const QuantizeRun& run, const OtherSamples& others);

// --- What they share: float_network.cc.
// By name: minmax, percentile, kl, mse. Error: usage.
Result<quantize::Method> method_of(const std::string& name);
// A network in ONNX's order of axes, as the run's passes want it. Error: usage where the file is
// a .tflite.
Result<Model> read_float_network(const QuantizeRun& run);
// The network of the run's file with the constants of `after`; `before` is the graph as it was
// read. Read again it has them in every bit. Error: onnx_reference where a constant of the graph is
// computed from others in the file.
Result<Bytes> trained_network(const QuantizeRun& run, const Graph& before, const Graph& after);
// Error: usage without calibration data.
Result<std::vector<quantize::Sample>> read_samples(const QuantizeRun& run, const Graph& graph);

}  // namespace edgetwin::twin
