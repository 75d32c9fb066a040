#include "cli/manual/completion.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kZshBegin = R"(#compdef edgetwin
# Completion of edgetwin for zsh. Written by `edgetwin completion zsh`.

_edgetwin() {
  local -a verbs below
  verbs=(
)";

// In single quotes; `special` are signs with a meaning there.
std::string zsh_quoted(const std::string& text, const std::string& special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) out += '\\';
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out;
}

std::string zsh_action_of(const OptionInfo& option) {
  if (!option.choices.empty()) {
    std::string words;
    for (const std::string& c : option.choices) words += (words.empty() ? "" : " ") + c;
    return "(" + words + ")";
  }
  if (option.kind == ValueKind::file) return "_files";
  return option.kind == ValueKind::folder ? "_files -/" : " ";
}

// A specification of _arguments.
std::string zsh_option_text(const OptionInfo& option) {
  const std::string word = zsh_quoted(option.value, ":[]");
  if (option.positional) {
    return "'" + std::string(option.several ? "*" : "") + ":" + word + ":" + zsh_action_of(option) +
           "'";
  }
  const std::vector<std::string> names = names_of(option);
  std::string value = "[" + zsh_quoted(first_line(option.help), ":[]") + "]";
  if (option.kind != ValueKind::none) value += ":" + word + ":" + zsh_action_of(option);
  std::string text;
  for (const std::string& name : names) {
    const std::string repeated = option.several ? "*" : "";
    text += (text.empty() ? "'" : " '") + repeated + name + value + "'";
  }
  return text;
}

std::string zsh_rows_of(const std::vector<Verb>& verbs, const std::string& indent) {
  std::string text;
  for (const Verb& verb : verbs) {
    text += indent + "'" + zsh_quoted(verb.name + ":" + verb.summary, "") + "'\n";
  }
  return text;
}

}  // namespace

std::string zsh_completion(const std::vector<Verb>& verbs) {
  std::string text = kZshBegin + zsh_rows_of(verbs, "    ") + "  )\n";
  text +=
      "  if (( CURRENT == 2 )); then\n    _describe -t verbs verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n";
  for (const Verb& verb : verbs) {
    if (verb.verbs.empty()) continue;
    text += "    " + verb.name + ")\n      below=(\n" + zsh_rows_of(verb.verbs, "        ") +
            "      ) ;;\n";
  }
  text +=
      "  esac\n  if (( $#below )); then\n    if (( CURRENT == 2 )); then\n"
      "      _describe -t verbs verb below\n      return\n    fi\n"
      "    verb=\"$verb $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n"
      "  case $verb in\n";
  for (const VerbInfo& info : describe(verbs)) {
    text += "    '" + info.words + "')\n      _arguments -s '-h[This text]' '--help[This text]'";
    for (const OptionInfo& option : info.options) text += " \\\n        " + zsh_option_text(option);
    text += " ;;\n";
  }
  return text +
         "  esac\n}\n\nif [ \"$funcstack[1]\" = _edgetwin ]; then\n  _edgetwin \"$@\"\nelse\n"
         "  compdef _edgetwin edgetwin\nfi\n";
}

}  // namespace edgetwin::cli
