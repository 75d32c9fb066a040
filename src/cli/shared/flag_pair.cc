// "--on" and "--off" for one value that may also be neither.
#include <CLI/CLI.hpp>

#include "cli/shared/option_set.h"

namespace edgetwin::cli {

OptionHandle OptionSet::flag(const std::string& names, std::optional<bool>& value,
                             const std::string& help) {
  // Two flags, of which the first is listed with both names: the parser's own pair of them knows
  // no third state, and is listed as "--on,--off{false}".
  const size_t comma = names.find(",!");
  const std::string on = names.substr(0, comma), off = names.substr(comma + 2);
  const auto setter = [&value, on, off](bool to) {
    return [&value, on, off, to] {
      if (value && *value != to) throw CLI::ValidationError(on + " excludes " + off);
      value = to;
    };
  };
  app_->add_flag_callback(off, setter(false))->group("");
  CLI::Option* yes = app_->add_flag_callback(on, setter(true), help);
  const OptionHandle handle = add(yes, {names, "", help, "", ValueKind::none, {}});
  yes->option_text("/ " + off);
  return handle;
}

}  // namespace edgetwin::cli
