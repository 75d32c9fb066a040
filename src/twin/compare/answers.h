// Answers over a data set: of the float network, and of the files that a chip loads.
#pragma once

#include "base/folders/scratch_folder.h"
#include "edgetwin/compare_chips.h"

namespace edgetwin::twin {

// Files that were made and not written, in a folder that goes away with this.
class MadeFolder {
 public:
  // Error: file_write.
  static Result<MadeFolder> make(const std::vector<MadeFile>& files);
  std::string file(const std::string& path) const { return (folder_.path() / path).string(); }

 private:
  explicit MadeFolder(ScratchFolder folder) : folder_(std::move(folder)) {}
  ScratchFolder folder_;
};

// The answers of one network, sample by sample.
struct Answers {
  ChipAccuracy accuracy;
  std::vector<ChipAnswer> answers;       // by sample
  std::vector<ComparedSample> truth;     // the same samples: index, name, class
  std::vector<std::string> class_names;  // may be empty
};

// `who`: part of the name of the journal. Errors: those of evaluate().
Result<Answers> answers_of(const Candidate& candidate, const CompareChipsOptions& options,
                           const std::string& who);

// Samples for which the float network and the chips do not all give the same class.
std::vector<ComparedSample> parted_samples(const Answers& real,
                                           const std::vector<ComparedChip>& chips);

}  // namespace edgetwin::twin
