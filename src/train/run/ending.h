// The end of a run: test items with the best parameters, integers, the comparison with the twin.
// Specification: training, 13, 15.
#pragma once

#include "train/report/page.h"
#include "train/run/run_folder.h"
#include "train/run/setup.h"
#include "train/run/twin.h"

namespace edgetwin::train {

// The test items with the best parameters.
struct TestRun {
  Evaluation scores;
  Observer observed = Observer(false);
  std::vector<float> outputs;  // (item, channel, row, column)
  std::vector<int32_t> sums;   // the same in integers where binary32 could round them, else empty
};

struct Ending {
  const RunSettings& settings;
  Setup& setup;  // with the best parameters
  ThreadPool& pool;
  RunFolder& folder;
  std::function<void(const std::string&)> log;

  Status run(TestRun& test, std::optional<TwinComparison>& twin);

 private:
  Status write_confusion(const Evaluation& test);
  Status write_sample();
};

// The page of a run that goes on, and what its end adds.
RunPage begun_page(const RunSettings& settings, const Setup& setup,
                   const std::vector<EpochRow>& epochs, const std::vector<LayerRow>& layers);
void end_page(RunPage& page, const TestRun& test, const std::optional<TwinComparison>& twin,
              Setup& setup, ThreadPool& pool);

}  // namespace edgetwin::train
