#include "cli/manual/completion.h"

#include <sstream>

namespace edgetwin::cli {

std::vector<std::string> shell_names() { return {"bash", "fish", "zsh"}; }

std::string completion(const std::string& shell, const std::vector<Verb>& verbs) {
  if (shell == "bash") return bash_completion(verbs);
  return shell == "fish" ? fish_completion(verbs) : zsh_completion(verbs);
}

std::vector<std::string> names_of(const OptionInfo& option) {
  std::vector<std::string> names;
  if (option.positional) return names;
  std::istringstream words(option.names);
  for (std::string name; std::getline(words, name, ',');) {
    names.push_back(name.front() == '!' ? name.substr(1) : name);
  }
  return names;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == ',' || line.back() == ':' || line.back() == ';')) {
    line.pop_back();
  }
  return line;
}

std::string words_below(const Verb& verb) {
  std::string words;
  for (const Verb& below : verb.verbs) words += (words.empty() ? "" : " ") + below.name;
  return words;
}

ValueKind positional_kind(const VerbInfo& info) {
  for (const OptionInfo& option : info.options) {
    if (option.positional) return option.kind;
  }
  return ValueKind::none;
}

}  // namespace edgetwin::cli
