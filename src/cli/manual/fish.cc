#include "cli/manual/completion.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kFishBegin =
    R"(# Completion of edgetwin for fish. Written by `edgetwin completion fish`.

# Whether the command line begins with these words after the program, and how many there are.
function __edgetwin_verb
    set -l words (commandline -opc)
    for i in (seq (count $argv))
        test "$words[(math $i + 1)]" = "$argv[$i]"; or return 1
    end
end

# Whether exactly these words are there yet.
function __edgetwin_next
    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __edgetwin_verb $argv
end

complete -c edgetwin -f
complete -c edgetwin -n __edgetwin_next -l help -s h -d 'This text'
complete -c edgetwin -n __edgetwin_next -l version -s V -d 'Version, build and formats'
)";

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_values_of(const OptionInfo& option) {
  if (!option.choices.empty()) {
    std::string words;
    for (const std::string& c : option.choices) words += (words.empty() ? "" : " ") + c;
    return " -x -a " + fish_quoted(words);
  }
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::text:
      break;
  }
  return " -x";
}

std::string fish_option_text(const OptionInfo& option, const std::string& condition) {
  if (option.positional) {
    if (!option.choices.empty()) return condition + fish_values_of(option) + "\n";
    return option.kind == ValueKind::file ? condition + " -F\n" : "";
  }
  std::string text = condition;
  for (const std::string& name : names_of(option)) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text + fish_values_of(option) + " -d " + fish_quoted(first_line(option.help)) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<Verb>& verbs) {
  std::string text = kFishBegin;
  for (const Verb& verb : verbs) {
    text += "complete -c edgetwin -n __edgetwin_next -a " + verb.name + " -d " +
            fish_quoted(verb.summary) + "\n";
    for (const Verb& below : verb.verbs) {
      text += "complete -c edgetwin -n '__edgetwin_next " + verb.name + "' -a " + below.name +
              " -d " + fish_quoted(below.summary) + "\n";
    }
  }
  for (const VerbInfo& info : describe(verbs)) {
    const std::string condition = "complete -c edgetwin -n '__edgetwin_verb " + info.words + "'";
    text += "\n" + condition + " -l help -s h -d 'This text'\n";
    for (const OptionInfo& option : info.options) text += fish_option_text(option, condition);
  }
  return text;
}

}  // namespace edgetwin::cli
