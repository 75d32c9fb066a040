// Commands of a shell with what they print, for tests of the program as people use it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace edgetwin::cases {

struct Outcome {
  int exit_code = 0;
  std::string out, err;
};

// The whole file; empty where there is none.
std::string slurp(const std::filesystem::path& path);

// A new folder for the files of one test. Ends the program where none can be made.
std::filesystem::path make_folder();

// The folder of this program is where the shell looks first.
void find_first(const std::filesystem::path& program);

// Runs a line of the shell in `folder`, with assignments NAME=VALUE added to the environment; what
// it prints goes through files in `scratch`.
Outcome execute(const std::string& command, const std::vector<std::string>& env,
                const std::filesystem::path& folder, const std::filesystem::path& scratch);

}  // namespace edgetwin::cases
