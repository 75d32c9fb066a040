// Two files or folders of the same kind, side by side, without running anything: arrays, pictures,
// traces, models, network descriptions, checkpoints, compiled programs. docs/cli.md, `diff`.
// edgetwin/verify.h compares what networks compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "verify/compare.h"

namespace edgetwin {

struct FileDifference {
  std::string kind;     // "npy", "espdl", "folder": what both are
  bool equal = false;   // models and programs: they mean the same
  std::string verdict;  // one sentence, with the first difference
  std::string noun;     // what `tensors` has: "tensor", "array"; empty without them
  std::optional<verify::SetDiff> tensors;  // of arrays, folders and checkpoints
  std::vector<std::string> lines;          // one for each other difference
  std::vector<Finding> notes;              // what differs and does not count
  // Of files with compiled programs: how many, and how many of them differ.
  std::optional<size_t> bitstreams, different_bitstreams;
};

// Elements of arrays that differ by at most `tolerance` count as equal; 0 is bit for bit. Errors:
// file_open, file_kind where nothing is known about the content, compare_kind where the two are of
// different kinds, and those of the readers.
EDGETWIN_API Result<FileDifference> diff_files(const std::string& a, const std::string& b,
                                               double tolerance = 0.0);

}  // namespace edgetwin
