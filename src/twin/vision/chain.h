// Networks of ESP-DL one after the other on one picture.
#pragma once

#include <memory>

#include "decode/espdl/core/result.h"
#include "edgetwin/vision.h"
#include "twin/vision/presets.h"

namespace edgetwin::twin {

// A stage that is ready to run.
struct Stage {
  const VisionStage* how = nullptr;
  StageParams params;
  std::unique_ptr<Runner> runner;
};

// Error: usage for stages that do not follow one another, and those of opening.
Result<std::vector<Stage>> open_stages(const VisionOptions& options);

// How a run came about, and what was found in its outputs alone; of espdl-mnp the last one has the
// faces of all.
struct RunDetail {
  espdl_image::Params picture;
  espdl_decode::Params decoder;
  espdl_decode::Decoded found;
};

struct Seen {
  espdl_decode::Decoded decoded;
  std::vector<VisionRun> runs;
  std::vector<RunDetail> details;  // of each run
  std::vector<Finding> findings;
};
Result<Seen> run_stages(std::vector<Stage>& stages, const Tensor& pixels);

}  // namespace edgetwin::twin
