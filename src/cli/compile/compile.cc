#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/program.h"
#include "targets/max78/project.h"

namespace edgetwin::cli {
namespace {

// Text files of the program, each only if it is named.
Status write_texts(const CompileArguments& a, const Max78Job& job,
                   const std::vector<Tensor>& outputs) {
  if (!a.program.empty()) {
    EDGETWIN_TRY_ASSIGN(const max78::Program program, max78::make_program(job.plan, job.sample));
    EDGETWIN_TRY(a.program.write(std::string_view(max78::to_text(program))));
  }
  if (!a.expected.empty()) {
    const std::string text = max78::expected_text(max78::expected_words(job.plan, outputs));
    EDGETWIN_TRY(a.expected.write(std::string_view(text)));
  }
  if (!a.unload_reads.empty()) {
    const std::string text = max78::unload_text(max78::unload_accesses(job.plan));
    EDGETWIN_TRY(a.unload_reads.write(std::string_view(text)));
  }
  return Ok{};
}

}  // namespace

Result<int> execute(const CompileArguments& a, Console& console) {
  if (a.output.empty() && a.program.empty() && a.expected.empty() && a.unload_reads.empty()) {
    return Error(ErrorCode::usage, "nothing to write was named")
        .with_hint("Add -o DIR for the project, or --program FILE.");
  }
  for (const Output* file : {&a.program, &a.expected, &a.unload_reads}) {
    EDGETWIN_TRY(file->check());
  }
  EDGETWIN_TRY(check_max78_pages(a.max78));
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome,
                      load_max78(a.max78, Max78Sample::needed, console));
  if (!outcome.ok) {
    EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": the network does not fit",
                                   console));
    return outcome.exit_code;
  }
  const Max78Job& job = *outcome.job;
  EDGETWIN_TRY_ASSIGN(const max78::SimulationResult result, simulate_max78(job, false, false, 1));
  const std::vector<Tensor> outputs = outputs_of(job, result);
  EDGETWIN_TRY(write_texts(a, job, outputs));
  if (!a.output.empty()) {
    max78::ProjectOptions options;
    if (!a.prefix.empty()) options.name = a.prefix;
    EDGETWIN_TRY_ASSIGN(const auto files,
                        max78::make_project(job.plan, job.sample, outputs, options));
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    for (const max78::ProjectFile& f : files) {
      EDGETWIN_TRY(folder.write(f.name, std::string_view(f.text)));
    }
    EDGETWIN_TRY(folder.commit());
    console.print("wrote       " + a.output.path + ": " + std::to_string(files.size()) +
                  " files for " + a.max78.target + "\n");
  }
  EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": compiled", console));
  console.print(statistics_text(job.plan));
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  return kYes;
}

}  // namespace edgetwin::cli
