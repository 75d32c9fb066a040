// The report of a run as one HTML file that needs no network.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/session.h"
#include "report/measure.h"
#include "report/model/model_info.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "verify/compare.h"

namespace edgetwin::report {

struct TensorRow {
  TraceItem item;
  TensorStats stats;
};

// All that a page shows; pointers outlive the call.
struct PageData {
  enum class Verdict : uint8_t { none, yes, no };

  std::string title;    // the model's file name
  std::string version;  // of this program
  Verdict verdict = Verdict::none;
  std::string verdict_text;
  std::vector<std::pair<std::string, std::string>> asked;  // what and which
  const Model* model = nullptr;
  const ModelSummary* summary = nullptr;
  const exec::Session* session = nullptr;  // as users run it, not as traced
  const Timing* timing = nullptr;
  Machine machine;
  std::string isa;
  std::vector<TensorRow> tensors;
  std::optional<verify::SetDiff> comparison;  // A is the reference
  std::string estimate;                       // a section, HTML; empty: none
  std::string command;                        // how to repeat
};

std::string html_page(const PageData& page);
Json page_json(const PageData& page);

// Pairs the tensors of two folders by the same rules. In the order of `a`.
verify::SetDiff compare_folders(const std::vector<TraceTensor>& a,
                                const std::vector<TraceTensor>& b, double tolerance);

// Pairs the tensors of a run with expected ones: by tensor name, by that name as a file name has
// it, with or without a leading number, or as output_N. In the order of `items`; expected tensors
// without a partner are in only_in_a. Error: compare_kind if nothing matches.
Result<verify::SetDiff> compare_with_reference(const exec::Session& traced,
                                               const std::vector<TraceTensor>& reference,
                                               double tolerance);

}  // namespace edgetwin::report
