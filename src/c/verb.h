// Verbs of the program, run in this process with their output kept: documents are what the program
// prints by construction.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/folders/scratch_folder.h"
#include "c/handles.h"

namespace edgetwin::c {

// Below a scratch folder: where a verb writes.
inline constexpr const char* kResults = "results";

// `words`: the verb and its words by position. Files that it left in `results` below `scratch` (may
// be empty) become those of the document, page.html its part "html"; texts do not show where the
// scratch folder was. Errors: those of the verb.
Result<std::unique_ptr<edgetwin_document>> run_verb(std::vector<std::string> words,
                                                    const Options& options,
                                                    const std::filesystem::path& scratch);

// The options with which a network was opened that a verb has too, and then `given`.
Options with_open_options(const std::string& verb, const NetworkState& network,
                          const Options& given);

// The network as a file: its own, or a copy below the folder.
Result<std::string> file_of(const NetworkState& network, const ScratchFolder& folder);

}  // namespace edgetwin::c
