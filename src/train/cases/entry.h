// Recorded cases of training: an index, and the computation of each entry from the inputs of its
// file. Specification: training, 19.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/parallel.h"
#include "base/result.h"
#include "train/cases/arrays.h"

namespace edgetwin::train {

struct CaseEntry {
  std::string list;  // modules, other, espdl, network
  std::string file;  // relative to the index
  std::string id;    // its id, else its file
  Json json;

  double number(std::string_view key, double otherwise) const;
  int integer(std::string_view key, int otherwise) const;
  bool boolean(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, const std::string& otherwise) const;
};

// All entries in the order of the file. Errors: those of reading; bad_value where it is no index.
Result<std::vector<CaseEntry>> read_index(const std::filesystem::path& index);

// Only inputs of `arrays` are read. `folder` of the index: paths of entries are relative to it.
// Errors: train_case, and those of what is read.
Result<CaseResults> compute_case(const CaseEntry& entry, const CaseArrays& arrays,
                                 const std::filesystem::path& folder, ThreadPool& pool);

}  // namespace edgetwin::train
