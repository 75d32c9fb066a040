// Several files of one run: all of them appear, or none.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "cli/shared/output.h"

namespace edgetwin::cli {

class OutputGroup {
 public:
  // Where `output` was not given, nothing is added. The order is that of writing.
  void add(Output output, Bytes data);
  void add(Output output, std::string_view text);
  // Errors: those of write_file. Files that were not there before this run are removed again, also
  // by undo(); what --force replaced stays replaced.
  Status write();
  void undo();

 private:
  std::vector<std::pair<Output, Bytes>> files_;
  std::vector<std::string> made_;
};

}  // namespace edgetwin::cli
