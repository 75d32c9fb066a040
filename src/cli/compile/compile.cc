#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/page/texts.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"

namespace edgetwin::cli {
namespace {

// Text files of the program, each only if it is named.
Status write_texts(const CompileArguments& a, const max78::CompiledNetwork& compiled) {
  const auto put = [](const Output& file, const std::string& text) -> Status {
    return file.write(std::string_view(text));
  };
  if (!a.program.empty()) EDGETWIN_TRY(put(a.program, max78::to_text(compiled.program)));
  if (!a.expected.empty()) EDGETWIN_TRY(put(a.expected, max78::expected_text(compiled.expected)));
  if (!a.unload_reads.empty()) {
    EDGETWIN_TRY(put(a.unload_reads, max78::unload_text(compiled.unload)));
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
                      load_max78(a.max78, max78::SampleNeed::numbers, console));
  if (!outcome.ok) {
    EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": the network does not fit",
                                   console));
    return outcome.exit_code;
  }
  const max78::LoadedNetwork& job = *outcome.job;
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork compiled, max78::compile(job));
  EDGETWIN_TRY(write_texts(a, compiled));
  if (!a.output.empty()) {
    max78::ProjectOptions options;
    if (!a.prefix.empty()) options.name = a.prefix;
    EDGETWIN_TRY_ASSIGN(const auto files, max78::make_project(job.plan(), compiled, options));
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    for (const max78::ProjectFile& f : files) {
      EDGETWIN_TRY(folder.write(f.name, std::string_view(f.text)));
    }
    EDGETWIN_TRY(folder.commit());
    console.print("wrote       " + a.output.path + ": " + std::to_string(files.size()) +
                  " files for " + a.max78.target + "\n");
  }
  EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": compiled", console));
  console.print(max78::statistics_text(job.plan()));
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  return kYes;
}

}  // namespace edgetwin::cli
