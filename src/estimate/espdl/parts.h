// What the parts of the estimate for ESP-DL share.
#pragma once

#include "estimate/espdl/espdl.h"

namespace edgetwin::estimates::espdlparts {

struct Work {
  const espdl::Document* document = nullptr;
  int edl_version = 2;
  bool encrypted = false;
  int64_t file_bytes = 0;
  const Board* board = nullptr;
  bool s3 = false, tree = false;
  bool copy = true;  // parameters are copied to PSRAM
  std::string model_in = "flash";
  int cores = 1;
  double mhz = 0;
  int64_t internal = 0, reserve = 0, parameters = 0, copied = 0;
  Variables variables;
  ActivationPlan plan;
  std::vector<NodeFeatures> nodes;
  EspdlModel model;
};

void add_time(const Work& work, Estimate& e);
void add_memory(const Work& work, Estimate& e);
void add_hints(const Work& work, Estimate& e);

}  // namespace edgetwin::estimates::espdlparts
