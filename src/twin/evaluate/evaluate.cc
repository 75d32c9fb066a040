#include "edgetwin/evaluate.h"
#include "evaluate/rules/rules.h"

#include <algorithm>
#include <atomic>

#include "base/file.h"
#include "evaluate/page/page.h"
#include "image/image.h"
#include "image/resize.h"
#include "twin/evaluate/work.h"

namespace edgetwin {
namespace {

constexpr int kThumbnail = 96;  // pixels of the longer side

// One process: numbers in order.
class Alone : public Cluster {
 public:
  Result<uint64_t> next() override { return next_++; }

 private:
  uint64_t next_ = 0;
};

// All records on rank 0.
Result<std::vector<evaluation::Record>> gathered(std::vector<evaluation::Record> own,
                                                 const evaluation::RecordForm& form,
                                                 Cluster& cluster) {
  if (cluster.size() == 1) return own;
  std::string text;
  for (const evaluation::Record& r : own) text += evaluation::line_of(r) + "\n";
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> all, cluster.gather(text));
  std::vector<evaluation::Record> records;
  for (const std::string& part : all) {
    std::string_view rest = part;
    while (!rest.empty()) {
      const size_t at = rest.find('\n');
      EDGETWIN_TRY_ASSIGN(evaluation::Record r,
                          evaluation::record_of(rest.substr(0, at), form, "another rank"));
      records.push_back(std::move(r));
      rest.remove_prefix(at + 1);
    }
  }
  std::ranges::sort(records, {}, &evaluation::Record::index);
  return records;
}

void add_broken(const twin::EvaluationPlan& plan, const evaluation::Part& part, Evaluation& made) {
  for (const evaluation::Record& r : part.records) {
    if (r.broken.empty()) continue;
    ++made.broken;
    const evaluation::Sample& s = plan.set.samples[r.index];
    Place place;
    place.file = s.file.empty() ? s.set_file : s.file;
    made.findings.push_back(
        {Severity::warning, "EVAL-SAMPLE-01", place,
         "sample " + std::to_string(r.index) + ", '" + r.name + "', is left out: " + r.broken, ""});
  }
}

// A small PNG of a picture; empty for what is none.
Bytes thumbnail(const twin::EvaluationPlan& plan, uint64_t index) {
  const auto loaded = plan.set.load(plan.set.samples[index]);
  if (!loaded.ok() || !loaded->picture) return {};
  const int64_t h = loaded->tensor.shape[0], w = loaded->tensor.shape[1];
  const int64_t most = std::max<int64_t>(1, std::max(h, w));
  const auto side = [&](int64_t v) {
    return static_cast<int>(std::max<int64_t>(1, v * std::min<int64_t>(kThumbnail, most) / most));
  };
  const auto small = resize_smooth(loaded->tensor, side(h), side(w), Filter::bilinear);
  if (!small.ok()) return {};
  auto png = encode_png(*small);
  return png.ok() ? std::move(*png) : Bytes{};
}

std::string page_of(const Json& result, const twin::EvaluationPlan* plan) {
  evaluation::Thumbnails pictures;
  const Json models = result.get("models").value_or(Json::array());
  for (size_t m = 0; plan != nullptr && m < models.size(); ++m) {
    const Json worst = models.at(m).get("worst").value_or(Json::array());
    for (size_t i = 0; i < worst.size(); ++i) {
      const auto index = static_cast<uint64_t>(worst.at(i).get_integer("index").value_or(0));
      if (!pictures.contains(index)) pictures[index] = thumbnail(*plan, index);
    }
  }
  return evaluation::html_page(result, pictures);
}

}  // namespace

std::vector<std::string> evaluation_tasks() { return evaluation::task_names(); }

Status remove_journals(const std::string& output) { return evaluation::remove_journals(output); }

Result<Evaluation> evaluate(const std::vector<Candidate>& candidates,
                            const EvaluateOptions& options) {
  Alone alone;
  Cluster& cluster = options.cluster != nullptr ? *options.cluster : alone;
  EDGETWIN_TRY_ASSIGN(twin::EvaluationPlan plan, twin::plan_evaluation(candidates, options));
  EDGETWIN_TRY_ASSIGN(twin::Worked worked, twin::compute_all(plan, options, cluster));
  evaluation::Part part{plan.identity, options.shard, options.shards, {}};
  EDGETWIN_TRY_ASSIGN(part.records,
                      gathered(std::move(worked.records), plan.identity.form(), cluster));
  Evaluation made;
  made.findings = std::move(plan.findings);
  made.resumed = worked.resumed;
  made.seconds = worked.seconds;
  made.rate = worked.seconds > 0 ? static_cast<double>(worked.computed) / worked.seconds : 0.0;
  if (cluster.rank() != 0) return made;
  add_broken(plan, part, made);
  made.samples = part.records.size();
  if (made.samples > 0 && made.broken == made.samples) {
    return evaluation::broken(evaluation::Rule::set_broken,
                              "none of the " + std::to_string(made.samples) +
                                  " samples can be used; the first: " + part.records[0].broken)
        .in_file(options.data);
  }
  if (options.part || options.shards > 1) {
    made.json = evaluation::part_json(part).text();
    made.text = "shard " + std::to_string(part.shard) + " of " + std::to_string(part.shards) +
                ": " + std::to_string(made.samples) + " of " +
                std::to_string(part.identity.samples) + " samples\n";
    return made;
  }
  const Json result = evaluation::result_json(part);
  made.json = result.text();
  made.text = evaluation::result_text(result);
  if (options.page) made.page = page_of(result, &plan);
  return made;
}

Result<Evaluation> merge_parts(const std::vector<std::string>& files, bool page) {
  if (files.empty()) return Error(ErrorCode::usage, "no part was given");
  std::vector<std::pair<std::string, evaluation::Part>> parts;
  for (const std::string& file : files) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    EDGETWIN_TRY_ASSIGN(evaluation::Part part, evaluation::read_part(as_text(data), file));
    parts.emplace_back(file, std::move(part));
  }
  EDGETWIN_TRY_ASSIGN(const evaluation::Part whole, evaluation::merge(parts));
  Evaluation made;
  made.samples = whole.records.size();
  made.broken = static_cast<uint64_t>(
      std::ranges::count_if(whole.records, [](const auto& r) { return !r.broken.empty(); }));
  const Json result = evaluation::result_json(whole);
  made.json = result.text();
  made.text = evaluation::result_text(result);
  if (page) made.page = page_of(result, nullptr);
  return made;
}

}  // namespace edgetwin
