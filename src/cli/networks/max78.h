// Networks of the MAX78000 and MAX78002 on the command line: what `run`, `compile`, `check` and
// `quantize` share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/shared/console.h"
#include "cli/shared/max78_arguments.h"
#include "edgetwin/compile.h"
#include "targets/max78/pipeline/load.h"

namespace edgetwin::cli {

// Whether the content of MODEL (empty where it cannot be read) is a network description. If it is
// not, words that only such a network's options explain are wrong use. Error: usage.
Result<bool> is_max78_network(ByteSpan model, const Max78Arguments& arguments,
                              const std::string& verb);

// Prints all errors and warnings of reading, and of the plan. `ok` is false where one of them is an
// error; `exit_code` is then 3 for unusable files and 1 where the network does not fit.
struct Max78Outcome {
  std::unique_ptr<max78::LoadedNetwork> job;
  bool ok = true;
  int exit_code = 0;
  std::vector<Finding> findings;  // errors too
  // Of a network whose parameters stand in (targets/max78/pipeline/stand_in.h).
  bool stands_in = false;
  bool asked_for = false;  // of a seed that was named
  std::vector<std::string> assumed;
  // Of a float network that was planned: description, checkpoint and sample.
  std::string name;  // of them
  std::vector<MadeFile> made;
};

// Of a plan that is written: layers that changed places take their parameters along, as a
// checkpoint beside the description. Error: usage where they are .npy arrays.
Status add_moved_parameters(const Max78Arguments& arguments, Max78Outcome& outcome);

// What computes or compiles needs the input's numbers; what only judges needs its size.
// `weightless`: a network without parameters is judged as far as it can be. `plan`: maps, offsets
// and gaps that are missing are planned. `makes_rtl`: the verb makes folders of --rtl; others
// refuse the option, which changes nothing there.
Result<Max78Outcome> load_max78(const Max78Arguments& arguments, max78::SampleNeed need,
                                Console& console, bool weightless = false, bool plan = false,
                                bool makes_rtl = false);
// Of a network that was planned (`plan` above): its program in the machine beside the twin, with
// a line about it, and of an objective that was asked for what the plan uses. Error: internal where
// they part.
Status prove_plan(const Max78Arguments& arguments, const max78::LoadedNetwork& job,
                  Console& console);
// What could not be checked for want of parameters, and what was taken for it; nothing where they
// were given.
void show_stand_in(const Max78Outcome& outcome, Console& console);

// The parameters that are named, with what reading them has to say; none after an error.
Result<std::optional<ai8x::Parameters>> match_max78(const Max78Arguments& arguments,
                                                    const ai8x::Network& network, Console& console);

// The page and the picture that --report and --image ask for. `verdict` as it was printed.
Status check_max78_pages(const Max78Arguments& arguments);
Status write_max78_pages(const Max78Arguments& arguments, const Max78Outcome& outcome,
                         const std::string& verdict, Console& console);

}  // namespace edgetwin::cli
