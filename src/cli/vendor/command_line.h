// Command lines of the vendor's tools for the MAX78000 and MAX78002 as ours. Its scripts run
// unchanged with symbolic links to this program. docs/max78.md, "The vendor's command lines".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace edgetwin::cli {

// `words` with the program's name first. Called as ai8xize.py or quantize.py, with or without the
// ending, or as python with one of them as the first word: a line of `compile` or `quantize`. Else
// the same words, with the vendor's names of options where a verb knows them by others. Errors:
// usage where the vendor's tool would refuse too, those of reading the description.
Result<std::vector<std::string>> own_command_line(std::vector<std::string> words);

}  // namespace edgetwin::cli
