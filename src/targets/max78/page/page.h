// The page about a network on its chip: verdict, findings, layers, pictures of the memories.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// A tensor that was computed.
struct ResultRow {
  std::string layer, form;  // "3x1x1 int32"
  std::string least, largest, mean;
  std::string comparison;  // with the reference: "equal", or what differs; empty: there is none
};

struct NetworkPage {
  std::string title;    // the description's file name
  std::string version;  // of this program
  bool yes = false;
  std::string verdict;
  std::vector<std::pair<std::string, std::string>> asked;
  const Planning* plan = nullptr;  // null: the files were not usable
  std::vector<Finding> findings;   // of reading and of the rules
  std::vector<ResultRow> results;  // of the layers and outputs; none where nothing was computed
  std::string estimate;            // a section, HTML; empty: none
  std::string command;
};

// One HTML file that needs no network.
std::string html_page(const NetworkPage& page);

}  // namespace edgetwin::max78
