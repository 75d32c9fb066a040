// The sections of the page, each in its own function.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"

namespace edgetwin::report {

// A table whose columns named in `numbers` (by index) are right-aligned. Cells are HTML.
class HtmlTable {
 public:
  HtmlTable(std::vector<std::string> titles, const std::vector<size_t>& numbers);
  void add(const std::vector<std::string>& cells, const char* row_class = "");
  std::string html() const;

 private:
  std::string cell(const char* tag, size_t column, const std::string& content) const;
  std::vector<std::string> titles_;
  std::vector<bool> is_number_;
  std::string rows_;
};

// A name that may be long: its middle is cut out, and it is whole when pointed at.
std::string name_cell(const std::string& name);

std::string asked_section(const PageData& page);
std::string graph_section(const PageData& page);
std::string memory_section(const PageData& page);
std::string time_section(const PageData& page);
std::string numerics_section(const PageData& page);
std::string comparison_section(const PageData& page);  // empty without a reference
std::string findings_section(const PageData& page);

}  // namespace edgetwin::report
