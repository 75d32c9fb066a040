// The arguments of `train`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"
#include "targets/target.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::train {
struct RunSettings;
struct TuneResult;
struct DataOptions;
}  // namespace edgetwin::train

namespace edgetwin::cli {

struct TrainArguments {
  // --- A network.
  std::string network, target, data, resume, init, schedule, policy, settings;
  std::optional<int> epochs, batch, qat_start, weight_bits, patience;
  std::optional<double> rate, momentum, decay, validation, quantile;
  std::string optimizer, batch_norm, format, train_accuracy;
  std::optional<int> window, hop;
  bool no_bias = false, use_bias = false, no_qat = false, no_events = false;
  bool regression = false, reset_optimizer = false, average_rounding = false, dry_run = false;
  bool histograms = false, curves = false, confusion = false, upstream_bugs = false;
  std::optional<int> print_every;
  std::vector<std::string> set;
  std::string name;
  std::optional<int> sample;
  // Options of the vendor's program that change nothing here; a note says so.
  bool deterministic = false;
  std::string gpus, workers, compiler_mode, compiler_backend;
  std::optional<int64_t> seed;

  // --- A float network, .onnx, for ESP-DL.
  std::vector<std::string> calibrate, layer_bits, lut, with;
  std::vector<float> mean, std;
  std::optional<int> samples, bits, lut_step, block_steps, block_size;
  bool train_exponents = false;
  std::string method, runtime;

  // --- Recorded cases.
  std::string cases, only;
  bool compare = false;

  Output output;
  std::optional<int> threads;
};

void declare(OptionSet& options, TrainArguments& a);
Result<int> execute(const TrainArguments& a, Console& console);

// cases.cc
Result<int> execute_cases(const TrainArguments& a, Console& console);
// espdl.cc
Result<int> execute_tuning(const TrainArguments& a, const Target& target, Console& console);
// espdl_page.cc
// `done`: the run has ended; else the page loads itself again.
std::string tuning_page(const std::string& network, const std::string& command,
                        const train::TuneResult& result, bool done);
// Options of the other family that are given: they would change nothing. `converted`: those of
// calibration do, an ONNX network becomes a description.
Status refuse_tuning_options(const TrainArguments& a, const std::string& where, bool converted);
// converted.cc
bool is_onnx(const TrainArguments& a);
// Puts description and weights of the ONNX network into the settings. An exit code where it does
// not fit the chip; all misfits are said.
Result<std::optional<int>> convert_network(const TrainArguments& a, const Target& target,
                                           train::RunSettings& settings, Console& console);
// What the command line says about the data.
void set_data_options(const TrainArguments& a, train::DataOptions& data);
// --threads, or all processors
int threads_of(const TrainArguments& a);
// How the ONNX network is read and calibrated, whatever it is trained for.
twin::QuantizeRun quantize_run_of(const TrainArguments& a, const Target& target, Console& console);

}  // namespace edgetwin::cli
