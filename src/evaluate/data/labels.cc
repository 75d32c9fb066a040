// From what a set calls its classes to the network's.
#include <algorithm>
#include <filesystem>
#include <map>

#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

Error bad_label(const Sample& s, std::string what) {
  Error error = broken(Rule::set_label, std::move(what)).in_file(s.set_file);
  if (s.line > 0) error.place.line = s.line;
  return error;
}

// Classes by name. A name that two classes have has no place.
struct Names {
  std::map<std::string, int64_t> places;
  std::map<std::string, Error> doubles;
  bool empty() const { return places.empty() && doubles.empty(); }
};

// The line of a class in the file of names.
Error at_line(Error error, const LabelRule& rule, size_t index) {
  error.place.file = rule.names_file;
  if (index < rule.lines.size() && rule.lines[index] > 0) error.place.line = rule.lines[index];
  return error;
}

Names names_of(const LabelRule& rule) {
  std::map<std::string, std::vector<size_t>> all;
  for (size_t i = 0; i < rule.names.size(); ++i) {
    if (!rule.names[i].empty()) all[rule.names[i]].push_back(i);
  }
  Names names;
  for (const auto& [name, classes] : all) {
    if (classes.size() == 1) {
      names.places.emplace(name, static_cast<int64_t>(classes[0]));
      continue;
    }
    std::string what = "'" + name + "' is the name of class " + std::to_string(classes[0]);
    for (size_t i = 1; i < classes.size(); ++i)
      what += " and of class " + std::to_string(classes[i]);
    names.doubles.emplace(name, at_line(broken(Rule::labels_double, what), rule, classes[1]));
  }
  return names;
}

// Of names that no label asks for.
void report_doubles(const Names& names, SampleSet& set) {
  for (const auto& [name, error] : names.doubles) {
    set.findings.push_back(finding_of(info(Rule::labels_unused_double), error.place,
                                      error.message + "; no label of the set is this name"));
  }
}

// Sorted names that do not reach the network's last class are probably not its own.
void report_few(const LabelRule& rule, SampleSet& set, size_t names) {
  const int64_t first = rule.offset, last = first + static_cast<int64_t>(names) - 1;
  if (last + 1 >= rule.classes) return;
  Place place;
  const std::filesystem::path file = set.samples.front().set_file;
  place.file = (set.kind == "folder" ? file.parent_path() : file).string();
  set.findings.push_back(
      finding_of(info(Rule::labels_few), place,
                 "the " + std::to_string(names) + " names of the set are taken for classes " +
                     std::to_string(first) + " to " + std::to_string(last) +
                     " in the order of their bytes; the network has classes 0 to " +
                     std::to_string(rule.classes - 1)));
}

// The class of a name; `unknown` begins the message about one that there is not.
Result<int64_t> class_of(const Names& names, const std::string& name, const LabelRule& rule,
                         const Error& unknown) {
  if (const auto at = names.doubles.find(name); at != names.doubles.end()) return at->second;
  const auto found = names.places.find(name);
  if (found != names.places.end()) return found->second;
  Error error = unknown;
  error.message +=
      " is none of the " + std::to_string(rule.names.size()) + " names in " + rule.names_file;
  return error;
}

Status check_names(const LabelRule& rule) {
  const auto count = static_cast<int64_t>(rule.names.size());
  if (rule.names.empty() || rule.classes == 0 || count >= rule.classes) return Ok{};
  return at_line(broken(Rule::labels_short, std::to_string(count) + " names for " +
                                                std::to_string(rule.classes) + " outputs"),
                 rule, rule.names.size() - 1);
}

// What labels of anomalies may be called.
int64_t anomaly_of(const std::string& word) {
  for (const char* normal : {"0", "good", "normal"}) {
    if (word == normal) return 0;
  }
  for (const char* other : {"1", "bad", "anomalous", "anomaly", "abnormal"}) {
    if (word == other) return 1;
  }
  return -1;
}

bool all_numbers(const SampleSet& set) {
  int64_t ignored = 0;
  return std::ranges::all_of(set.samples,
                             [&](const Sample& s) { return is_whole(s.truth.word, ignored); });
}

Status check_range(const SampleSet& set, const LabelRule& rule) {
  for (const Sample& s : set.samples) {
    if (s.truth.label >= 0 && (rule.classes == 0 || s.truth.label < rule.classes)) continue;
    return bad_label(s, "label '" + s.truth.word + "' is class " + std::to_string(s.truth.label) +
                            ", the network has classes 0 to " + std::to_string(rule.classes - 1));
  }
  return Ok{};
}

std::string offset_text(int64_t offset) {
  return offset == 0 ? "" : (offset > 0 ? " plus " : " minus ") + std::to_string(std::abs(offset));
}

}  // namespace

Result<std::string> resolve_anomalies(SampleSet& set, const LabelRule& rule) {
  if (rule.offset != 0 || !rule.names.empty()) {
    return Error(ErrorCode::usage, "--labels and --label-offset change nothing for anomalies");
  }
  for (Sample& s : set.samples) {
    s.truth.label = anomaly_of(s.truth.word);
    if (s.truth.label >= 0) continue;
    // In folders every class but the normal one is an anomaly.
    if (set.kind != "folder") {
      return bad_label(s, "label '" + s.truth.word + "' is neither 0 (normal) nor 1 (anomalous)");
    }
    s.truth.label = 1;
  }
  return std::string("0, good, normal: normal; others: anomalous");
}

Result<std::string> resolve_labels(SampleSet& set, const LabelRule& rule) {
  EDGETWIN_TRY(check_names(rule));
  const Names names = names_of(rule);
  std::string how;
  if (all_numbers(set)) {
    for (Sample& s : set.samples) {
      is_whole(s.truth.word, s.truth.label);
      s.truth.label += rule.offset;
    }
    how = "whole numbers" + offset_text(rule.offset);
  } else if (!names.empty()) {
    for (Sample& s : set.samples) {
      EDGETWIN_TRY_ASSIGN(s.truth.label, class_of(names, s.truth.word, rule,
                                                  bad_label(s, "label '" + s.truth.word + "'")));
    }
    if (rule.offset != 0) {
      return Error(ErrorCode::usage, "--label-offset changes nothing: labels are names");
    }
    how = "names of --labels";
  } else {
    std::vector<std::string> words = set.classes;
    for (const Sample& s : set.samples) {
      if (set.classes.empty()) words.push_back(s.truth.word);
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (Sample& s : set.samples) {
      const auto at = std::ranges::lower_bound(words, s.truth.word);
      s.truth.label = at - words.begin() + rule.offset;
    }
    how = "names sorted by their bytes" + offset_text(rule.offset);
    report_few(rule, set, words.size());
    set.classes = std::move(words);
    if (rule.offset != 0) set.classes.clear();
    EDGETWIN_TRY(check_range(set, rule));
    return how;
  }
  set.classes = rule.names;
  report_doubles(names, set);
  EDGETWIN_TRY(check_range(set, rule));
  return how;
}

Result<std::string> resolve_categories(SampleSet& set, const LabelRule& rule, bool by_id) {
  const Names given = names_of(rule);
  std::map<int64_t, int64_t> classes;
  std::map<int64_t, std::string> names;
  for (size_t i = 0; i < set.categories.size(); ++i) {
    const Category& c = set.categories[i];
    int64_t label = by_id ? c.id - 1 : static_cast<int64_t>(i);
    if (!given.empty()) {
      Error unknown = broken(Rule::set_label, "category '" + c.name + "'")
                          .in_file(set.samples.front().set_file);
      if (c.line > 0) unknown.place.line = c.line;
      EDGETWIN_TRY_ASSIGN(label, class_of(given, c.name, rule, unknown));
    }
    label += rule.offset;
    classes[c.id] = label;
    names[label] = c.name;
  }
  if (!given.empty() && rule.offset != 0) {
    return Error(ErrorCode::usage, "--label-offset changes nothing: categories have names");
  }
  for (Sample& s : set.samples) {
    for (TrueObject& o : s.truth.objects) o.category = classes.at(o.category);
  }
  set.classes.clear();
  for (const auto& [label, name] : names) {
    if (label < 0 || label > 65535) {
      return broken(Rule::set_label,
                    "category '" + name + "' becomes class " + std::to_string(label))
          .in_file(set.samples.front().set_file);
    }
    if (static_cast<size_t>(label) >= set.classes.size()) {
      set.classes.resize(static_cast<size_t>(label) + 1);
    }
    set.classes[static_cast<size_t>(label)] = name;
  }
  report_doubles(given, set);
  if (!given.empty()) return std::string("names of --labels");
  return (by_id ? std::string("category id minus 1")
                : std::string("categories in the order of ids")) +
         offset_text(rule.offset);
}

}  // namespace edgetwin::evaluation
