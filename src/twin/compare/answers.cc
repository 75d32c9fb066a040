#include "twin/compare/answers.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/json/json.h"
#include "evaluate/parts/part.h"

namespace edgetwin::twin {

Result<MadeFolder> MadeFolder::make(const std::vector<MadeFile>& files) {
  EDGETWIN_TRY_ASSIGN(ScratchFolder scratch, ScratchFolder::make());
  MadeFolder folder(std::move(scratch));
  for (const MadeFile& f : files) {
    EDGETWIN_TRY(write_file(folder.file(f.path), f.bytes, Overwrite::yes));
  }
  return folder;
}

namespace {

ChipAccuracy accuracy_in(const Json& result) {
  const std::optional<Json> top1 = result.get("top1");
  const auto number = [&](const char* key) {
    const auto member = top1 ? top1->get(key) : std::nullopt;
    return member ? member->as_number().value_or(0.0) : 0.0;
  };
  ChipAccuracy a;
  if (top1) a.right = top1->get_integer("right").value_or(0);
  if (top1) a.count = top1->get_integer("count").value_or(0);
  a.value = number("value");
  a.low = number("low");
  a.high = number("high");
  return a;
}

// Places in the row of a classification (evaluate/metrics/row.h).
constexpr size_t kLabelAt = 0, kBestAt = 4;

const ChipAnswer* answer_to(const std::vector<ChipAnswer>& answers, uint64_t index) {
  const auto found = std::ranges::lower_bound(answers, index, {}, &ChipAnswer::index);
  return found != answers.end() && found->index == index ? &*found : nullptr;
}

}  // namespace

Result<Answers> answers_of(const Candidate& candidate, const CompareChipsOptions& options,
                           const std::string& who) {
  EvaluateOptions how = *options.evaluate;
  how.part = true;  // with the answer to each sample
  if (!options.journal.empty()) how.journal = options.journal + "." + who;
  EDGETWIN_TRY_ASSIGN(const Evaluation made, evaluate({candidate}, how));
  EDGETWIN_TRY_ASSIGN(const evaluation::Part part, evaluation::read_part(made.json, "evaluation"));
  Answers a;
  a.accuracy = accuracy_in(evaluation::result_json(part));
  a.class_names = part.identity.classes;
  for (const evaluation::Record& r : part.records) {
    if (!r.broken.empty() || r.rows.empty() || r.rows[0].size() <= kBestAt) continue;
    a.answers.push_back({r.index, r.rows[0][kBestAt]});
    ComparedSample sample;
    sample.index = r.index;
    sample.name = r.name;
    sample.label = r.rows[0][kLabelAt];
    a.truth.push_back(std::move(sample));
  }
  return a;
}

std::vector<ComparedSample> parted_samples(const Answers& real,
                                           const std::vector<ComparedChip>& chips) {
  std::vector<ComparedSample> parted;
  for (size_t i = 0; i < real.truth.size(); ++i) {
    ComparedSample sample = real.truth[i];
    sample.real = real.answers[i].best;
    bool differs = false;
    for (const ComparedChip& c : chips) {
      const ChipAnswer* answer = answer_to(c.answers, sample.index);
      sample.chips.push_back(answer != nullptr ? std::optional(answer->best) : std::nullopt);
      differs = differs || (answer != nullptr && answer->best != sample.real);
    }
    if (differs) parted.push_back(std::move(sample));
  }
  return parted;
}

}  // namespace edgetwin::twin
