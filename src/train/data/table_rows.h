// The lines of a table as cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace edgetwin::train {

struct TableRow {
  std::vector<std::string> cells;
  int line = 0;
};

// Header first; all rows have as many cells. Error: train_data_file with the line.
Result<std::vector<TableRow>> rows_of(std::string_view text, const std::string& file);
Error table_error(const std::string& file, int line, std::string message);

}  // namespace edgetwin::train
