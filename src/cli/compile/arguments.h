// The arguments of `compile`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/verb.h"
#include "edgetwin/compile.h"

namespace edgetwin::cli {

struct CompileArguments {
  Max78Arguments max78;
  Output output, program, expected, unload_reads;
  std::string prefix, labels;
  bool plan = false;  // of the MAX78000 and MAX78002: what the description leaves out
  Output proof;       // of the Edge TPU
  bool fail_on_fallback = false;
  std::string compare;  // a file of another compiler
  std::string like;     // whose programs ours should look like
  std::optional<int64_t> segments;
  std::optional<int64_t> min_runtime_version;
  // A second network in the same program: its files; how both share kernel memory.
  std::string second, second_checkpoint, second_weights, second_bias, second_sample;
  std::string memory;
};

void declare(OptionSet& options, CompileArguments& a);
Result<int> execute(const CompileArguments& a, Console& console);
// Of the Edge TPU.
Result<int> compile_for_edgetpu(const CompileArguments& a, Console& console);
// Whether a file can be written there, before minutes of work.
Status folder_is_there(const Output& file);
// With --segments.
Result<int> compile_pipeline(const CompileArguments& a, Console& console);
// Two networks of the MAX78000 or MAX78002 in one program.
Result<int> compile_pair(const CompileArguments& a, Console& console);
// What is written and said of a project of either.
Status write_compiled(const CompileArguments& a, const Compiled& compiled, Console& console);
// The instructions of `file` beside those of --compare.
Status show_likeness(const CompileArguments& a, ByteSpan file, ByteSpan theirs, Console& console);

}  // namespace edgetwin::cli
