// Where the repository is, for tests that read its documents, models and stand-ins.
#pragma once

#include <string>

namespace edgetwin {

// The folder, without a slash at its end. Only one file knows it, so that what a compiler's cache
// has of all others serves every clone.
std::string source_dir();

// A file that the cases of the command line use.
inline std::string case_file(const std::string& name) {
  return source_dir() + "/tests/cases/files/" + name;
}

}  // namespace edgetwin
