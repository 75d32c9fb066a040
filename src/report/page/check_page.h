// A page of checks: verdict, what was asked, one row per check, findings, the command.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/finding.h"

namespace edgetwin::report {

struct CheckRow {
  bool passed = false;
  std::string word;    // "equal", "different", "close"
  std::string what;    // what was compared
  std::string detail;  // numbers, the first difference
};

struct CheckPage {
  std::string title;
  std::string version;  // of this program
  bool yes = false;
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> asked;
  std::vector<CheckRow> rows;
  std::vector<Finding> findings;
  std::string command;
};

// One HTML file that needs no network.
std::string html_page(const CheckPage& page);

}  // namespace edgetwin::report
