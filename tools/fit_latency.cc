// fit_latency DATA: estimates beside the published times of the networks at hand, and the fits done
// again with each family of networks left out, as Markdown. DATA is the folder of the golden tests.
// To add a measurement: a line in latency/published.tsv, and a row in
// src/twin/estimate/residual_rows.def; numbers go into src/estimate/*/constants.def by hand.
#include <iostream>

#include "base/error.h"
#include "twin/estimate/residuals.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "fit_latency DATA\n";
    return 2;
  }
  const auto tables = edgetwin::twin::residual_tables(argv[1]);
  if (!tables.ok()) {
    std::cerr << edgetwin::to_text(tables.error());
    return 3;
  }
  std::cout << *tables;
  return 0;
}
