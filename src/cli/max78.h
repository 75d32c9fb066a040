// Networks of the MAX78000 and MAX78002 on the command line: what `run`, `compile`, `check` and
// `quantize` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "formats/ai8x/parameters.h"
#include "report/json.h"
#include "targets/max78/plan.h"

namespace edgetwin::cli {

// Whether the content of MODEL (empty where it cannot be read) is a network description. If it is
// not, words that only such a network's options explain are wrong use. Error: usage.
Result<bool> is_max78_network(ByteSpan model, const Max78Arguments& arguments,
                              const std::string& verb);

// Everything that a command names, read; kept where it is, since the plan points into it.
struct Max78Job {
  ai8x::Network network;
  ai8x::Parameters parameters;
  Tensor sample;
  max78::Options options;
  max78::Plan plan;
};

// Prints all errors and warnings of reading, and of the plan. `ok` is false where one of them is an
// error; `exit_code` is then 3 for unusable files and 1 where the network does not fit.
struct Max78Outcome {
  std::unique_ptr<Max78Job> job;
  bool ok = true;
  int exit_code = 0;
};

// Also checks need the sample: the size of the network's input is its.
Result<Max78Outcome> load_max78(const Max78Arguments& arguments, Console& console);

// `info` of network descriptions and checkpoints.
bool is_max78_file(ByteSpan data);
Status describe_max78(ByteSpan data, const std::string& file, Console& console, report::Json& json);

// `run` of a network description.
Result<int> run_max78(const RunArguments& arguments, Console& console);
// `verify` of a register program, or of a network's own one.
bool is_max78_verify(const VerifyArguments& arguments);
Result<int> verify_max78(const VerifyArguments& arguments, const std::vector<std::string>& words,
                         Console& console);
// `check` of one.
Result<int> check_max78(const CheckArguments& arguments, Console& console);

}  // namespace edgetwin::cli
