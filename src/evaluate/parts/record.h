// What all networks gave for one sample, and its line of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/metrics/row.h"

namespace edgetwin::evaluation {

struct Record {
  uint64_t index = 0;  // of the sample, from 0, in the whole set
  std::string name;
  std::string broken;          // why it cannot be used; empty: it can
  std::vector<Row> rows;       // of each network; none where broken
  std::vector<Agreed> agreed;  // of each network but the first, with the first
};

// What lines of an evaluation have.
struct RecordForm {
  Task task{};
  size_t models = 0;
  uint64_t samples = 0;  // of the whole set
};

// Columns between tabs, without an end of line: index, name, why it is broken, then per network
// the integers of its row and, but for the first, the two of its agreement.
std::string line_of(const Record& record);
// `place` (file, line) is for messages. Error: part_form.
Result<Record> record_of(std::string_view line, const RecordForm& form, const std::string& file);

}  // namespace edgetwin::evaluation
