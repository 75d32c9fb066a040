#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/page/texts.h"
#include "twin/make/max78_files.h"

namespace edgetwin::cli {
namespace {

// Text files of the program, each only if it is named.
Status write_texts(const CompileArguments& a, const Compiled& compiled) {
  const auto put = [](const Output& file, const std::string& text) -> Status {
    return file.empty() ? Status(Ok{}) : file.write(std::string_view(text));
  };
  EDGETWIN_TRY(put(a.program, compiled.program));
  EDGETWIN_TRY(put(a.expected, compiled.expected));
  return put(a.unload_reads, compiled.unload_reads);
}

Status write_project(const CompileArguments& a, const Compiled& compiled, Console& console) {
  if (a.output.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  for (const MadeFile& f : compiled.project) EDGETWIN_TRY(folder.write(f.path, f.bytes));
  EDGETWIN_TRY(folder.commit());
  console.print("wrote       " + a.output.path + ": " + std::to_string(compiled.project.size()) +
                " files for " + a.max78.target + "\n");
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
                      load_max78(a.max78, max78::SampleNeed::numbers, console));
  if (!outcome.ok) {
    EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": the network does not fit",
                                   console));
    return outcome.exit_code;
  }
  const max78::LoadedNetwork& job = *outcome.job;
  CompileOptions options;
  if (!a.prefix.empty()) options.name = a.prefix;
  options.project = !a.output.empty();
  Compiled compiled;
  EDGETWIN_TRY(twin::add_compiled_files(job, options, compiled));
  EDGETWIN_TRY(write_texts(a, compiled));
  EDGETWIN_TRY(write_project(a, compiled, console));
  EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": compiled", console));
  console.print(max78::statistics_text(job.plan()));
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  return kYes;
}

}  // namespace edgetwin::cli
