#include "cli/manual/completion.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kBashBegin =
    R"(# Completion of edgetwin for bash. Written by `edgetwin completion bash`.

_edgetwin() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local verb="${COMP_WORDS[1]}" below="" options="" values="" kind="none" positional="none"
  COMPREPLY=()
)";

constexpr const char* kBashEnd = R"(  if [[ $cur == -* && -z $values ]]; then
    values=$options
  elif [[ -z $values && $kind == none ]]; then
    kind=$positional
  fi
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
  elif [[ $kind == file ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $kind == folder ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
  fi
}

complete -F _edgetwin edgetwin
)";

const char* bash_word_of(ValueKind kind) {
  if (kind == ValueKind::file) return "file";
  if (kind == ValueKind::folder) return "folder";
  return kind == ValueKind::text ? "text" : "none";
}

std::string bash_joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// The values of the options that have some.
std::string bash_values_text(const VerbInfo& info) {
  std::string text;
  for (const OptionInfo& o : info.options) {
    if (o.positional || o.kind == ValueKind::none) continue;
    text += "        " + bash_joined(names_of(o), "|") + ") ";
    text += o.choices.empty() ? std::string("kind=") + bash_word_of(o.kind)
                              : "values=\"" + bash_joined(o.choices, " ") + "\"";
    text += " ;;\n";
  }
  return text;
}

std::string bash_positional_text(const VerbInfo& info) {
  for (const OptionInfo& o : info.options) {
    if (!o.positional || o.choices.empty()) continue;
    return "      [[ $cur == -* ]] || values=\"" + bash_joined(o.choices, " ") + "\"\n";
  }
  return std::string("      positional=") + bash_word_of(positional_kind(info)) + "\n";
}

std::string bash_verb_text(const VerbInfo& info) {
  std::vector<std::string> all = {"-h", "--help"};
  for (const OptionInfo& o : info.options) {
    for (const std::string& name : names_of(o)) all.push_back(name);
  }
  return "    \"" + info.words + "\")\n" + bash_positional_text(info) + "      options=\"" +
         bash_joined(all, " ") + "\"\n      case \"$prev\" in\n" + bash_values_text(info) +
         "      esac\n      ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<Verb>& verbs) {
  std::vector<std::string> first = {"--help", "--version"};
  std::string nested;
  for (const Verb& verb : verbs) {
    first.push_back(verb.name);
    if (verb.verbs.empty()) continue;
    nested += "    " + verb.name + ") below=\"" + words_below(verb) + "\" ;;\n";
  }
  std::string text = kBashBegin;
  text += "  if [[ $COMP_CWORD -eq 1 ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"" +
          bash_joined(first, " ") + "\" -- \"$cur\")\n    return\n  fi\n";
  text += "  case \"$verb\" in\n" + nested + "  esac\n";
  text +=
      "  if [[ -n $below ]]; then\n    if [[ $COMP_CWORD -eq 2 ]]; then\n      mapfile -t "
      "COMPREPLY "
      "< <(compgen -W \"$below --help\" -- \"$cur\")\n      return\n    fi\n"
      "    verb=\"$verb ${COMP_WORDS[2]}\"\n  fi\n";
  text += "  case \"$verb\" in\n";
  for (const VerbInfo& info : describe(verbs)) text += bash_verb_text(info);
  return text + "  esac\n" + kBashEnd;
}

}  // namespace edgetwin::cli
