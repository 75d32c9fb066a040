// The computations of the kinds of cases.
#pragma once

#include "formats/ai8x/network.h"
#include "train/cases/entry.h"

namespace edgetwin::train {

Result<CaseResults> compute_module(const CaseEntry& entry, const CaseArrays& in, ThreadPool& pool);
Result<CaseResults> compute_shift(const CaseArrays& in);
Result<CaseResults> compute_quantile(const CaseArrays& in);
Result<CaseResults> compute_preprocess(const CaseEntry& entry, const CaseArrays& in);
Result<CaseResults> compute_fold(const CaseEntry& entry, const CaseArrays& in);
Result<CaseResults> compute_loss(const CaseEntry& entry, const CaseArrays& in);
Result<CaseResults> compute_trace(const CaseEntry& entry, const CaseArrays& in,
                                  const std::filesystem::path& folder, ThreadPool& pool);
Result<CaseResults> compute_threshold(const CaseEntry& entry, const CaseArrays& in,
                                      ThreadPool& pool);
Result<CaseResults> compute_espdl(const CaseEntry& entry, const CaseArrays& in);
Result<CaseResults> compute_network(const CaseEntry& entry, const CaseArrays& in,
                                    const std::filesystem::path& folder, ThreadPool& pool);

// The activation of a layer, in any case of letters; none where the entry does not say. Error:
// train_case.
Result<ai8x::Activation> activation_of(const CaseEntry& entry);

// True if the path of the entry's file contains this part.
bool file_has(const CaseEntry& entry, std::string_view part);

}  // namespace edgetwin::train
