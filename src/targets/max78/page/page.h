// The page about a network on its chip: verdict, findings, layers, pictures of the memories.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

struct NetworkPage {
  std::string title;    // the description's file name
  std::string version;  // of this program
  bool yes = false;
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> asked;
  const Planning* plan = nullptr;  // null: the files were not usable
  std::vector<Finding> findings;   // of reading and of the rules
  std::string command;
};

// One HTML file that needs no network.
std::string html_page(const NetworkPage& page);

}  // namespace edgetwin::max78
