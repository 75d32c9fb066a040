// Files that the vendor's loader writes beside a project for people who compare numbers:
// --log-intermediate, --log-pooling, --debug-computation, --sample-numpy-filename.
// Source: specification "codegen" 8, "rtl" 8. docs/max78.md, "Files beside the project".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "targets/max78/place/plan.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {

struct LogFile {
  std::string name;
  Bytes data;
};

// Whether any of them is asked for.
bool wants_logs(const Options& options);

// `layers`: of a simulation of the plan with its sample (SimulationOptions::everything).
//   output.csv     each word that a layer writes: w,ADDRESS,VALUE,LAYER,CHANNELS,ROW,COLUMN
//   config.csv     each layer in 30 fields
//   data.npy       five arrays a layer: input, pooled, combined, sums, output
//   weights.npy, bias.npy   an array for each layer
//   pooling/{unpooled,pooled}-OPERAND-LN-chC.csv   of layers that pool, a row of the picture a line
//   computation.csv   each element: LAYER,CHANNEL,ROW,COLUMN,SUM,BIAS,SHIFT,RESULT
// Error: max78_option where computation.csv would have more than 2^21 lines.
Result<std::vector<LogFile>> log_files(const Plan& plan, std::span<const LayerResult> layers);

}  // namespace edgetwin::max78
