// The arguments of `template`.
#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct TemplateArguments {
  std::string kind;
  // By kind and by the name of templates.def; what was not given is not there.
  std::map<std::string, std::map<std::string, std::string>> values;
  std::string output, metadata;
  bool force = false;
};

void add_template(CLI::App& app, TemplateArguments& a);

}  // namespace edgetwin::cli
