// A verb of the program: a row of the table that the parser, the help, the manual pages and the
// completion of shells are made of. verbs.def lists all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/console.h"
#include "cli/shared/option_set.h"

namespace edgetwin::cli {

// What runs once the options have their values. Prints its result through the console and gives the
// exit code; an error that ends the work is returned instead of printed.
using Action = std::function<Result<int>(Console&)>;

// Declares the options of a verb and gives what runs with their values.
using Declaration = std::function<Action(OptionSet&)>;

// Headings in the list of verbs.
namespace group {
inline constexpr const char* kNetworks = "Networks";
inline constexpr const char* kEspdl = "ESP-DL";
inline constexpr const char* kEdgeTpu = "Edge TPU";
inline constexpr const char* kRobotics = "Robotics";
inline constexpr const char* kHelp = "Help";
}  // namespace group

struct Verb {
  std::string name;          // "info"; of a verb below another its own word, "build" of `lut build`
  std::string group;         // heading in the list of verbs
  std::string summary;       // one line
  std::string example;       // command lines; the help ends with them
  std::string notes = {};    // before the example
  Declaration declare = {};  // none where the verb only holds others
  std::vector<Verb> verbs = {};  // those below
  bool meets_targets = false;    // from verbs.def: targets.def says which chips have it
};

// The declaration of a verb whose header declares `void declare(OptionSet&, Arguments&)` and
// `Result<int> execute(const Arguments&, Console&)` beside its Arguments.
template <class Arguments>
Declaration declaration_of() {
  return [](OptionSet& options) -> Action {
    const auto arguments = std::make_shared<Arguments>();
    declare(options, *arguments);
    return [arguments](Console& console) { return execute(*arguments, console); };
  };
}

}  // namespace edgetwin::cli
