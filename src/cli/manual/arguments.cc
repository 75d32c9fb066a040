#include "cli/manual/arguments.h"

#include "cli/manual/completion.h"

namespace edgetwin::cli {

void declare(OptionSet& options, ManualArguments& a) {
  a.verbs = &options.table();
  options.positional("VERB", a.verb, "Whose page; without it that of the program")
      .kind(ValueKind::text);
  options.folder("-o,--output", a.output, "Folder for the pages of all verbs");
  options.force("Overwrite existing files");
}

void declare(OptionSet& options, CompletionArguments& a) {
  a.verbs = &options.table();
  options.positional("SHELL", a.shell, "bash, fish or zsh").required().choices(shell_names());
  options.file("-o,--output", a.output, "The script; without it standard output");
  options.force("Overwrite an existing file");
}

Verb verb_manual() {
  return {.name = "manual",
          .group = group::kHelp,
          .summary = "Manual pages of the verbs, for man",
          .example = "edgetwin manual run | man -l -",
          .declare = declaration_of<ManualArguments>()};
}

Verb verb_completion() {
  return {
      .name = "completion",
      .group = group::kHelp,
      .summary = "Completion of command lines, for bash, fish or zsh",
      .example = "edgetwin completion bash -o ~/.local/share/bash-completion/completions/edgetwin",
      .declare = declaration_of<CompletionArguments>()};
}

}  // namespace edgetwin::cli
