// Adds every option of every verb to command lines that work, by kind of file, and fails where it
// changes nothing and nobody says so: neither what is printed, nor a file, nor the exit code, and
// no refusal. walk.def has the command lines, the values and the exceptions with their reasons.
//   walk --program FILE --files DIR --models DIR [part of a verb]
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cases/command.h"
#include "cli/shared/parser.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace {

using edgetwin::cases::execute;
using edgetwin::cases::make_folder;
using edgetwin::cases::Outcome;
using edgetwin::cases::slurp;
using edgetwin::cli::OptionInfo;

struct Base {
  std::string verb, kind, words;
};
struct Row {
  std::string verb, option, text;
};

#define MADE(file, command)
#define BASE(verb, kind, words)
#define VALUE(verb, option, value)
#define SAME(verb, option, why)
const std::vector<std::string> kMade = {
#undef MADE
#define MADE(file, command) command,
#include "walk/walk.def"
#undef MADE
#define MADE(file, command)
};
const std::vector<Base> kBases = {
#undef BASE
#define BASE(verb, kind, words) {verb, kind, words},
#include "walk/walk.def"
#undef BASE
#define BASE(verb, kind, words)
};
const std::vector<Row> kValues = {
#undef VALUE
#define VALUE(verb, option, value) {verb, option, value},
#include "walk/walk.def"
#undef VALUE
#define VALUE(verb, option, value)
};
const std::vector<Row> kSame = {
#undef SAME
#define SAME(verb, option, why) {verb, option, why},
#include "walk/walk.def"
#undef SAME
#define SAME(verb, option, why)
};

const Row* find(const std::vector<Row>& rows, const std::string& verb, const std::string& option) {
  for (const std::string& wanted : {verb, std::string("*")}) {
    for (const Row& r : rows) {
      if (r.verb == wanted && r.option == option) return &r;
    }
  }
  return nullptr;
}

struct Folders {
  fs::path files, models, made, scratch;
};

std::string filled(std::string text, const Folders& f) {
  const std::pair<const char*, fs::path> places[] = {
      {"{files}", f.files}, {"{models}", f.models}, {"{made}", f.made}};
  for (const auto& [word, path] : places) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
      text.replace(at, std::strlen(word), path.string());
    }
  }
  return text;
}

// All that a run leaves: exit code, texts without times, and files.
struct Trace {
  Outcome outcome;
  std::map<std::string, std::string> files;
};

std::string without_times(const std::string& text) {
  static const std::regex kTimes("[0-9]+([.][0-9]+)? (ns|µs|ms|s)\\b");
  return std::regex_replace(text, kTimes, "T");
}

Trace run(const std::string& command, const Folders& f) {
  const fs::path folder = make_folder();
  Trace t;
  t.outcome = execute(command, {"NO_COLOR=1"}, folder, f.scratch);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    t.files[fs::relative(entry.path(), folder).string()] = slurp(entry.path());
  }
  t.outcome.out = without_times(t.outcome.out);
  t.outcome.err = without_times(t.outcome.err);
  fs::remove_all(folder);
  return t;
}

bool same(const Trace& a, const Trace& b) {
  return a.outcome.exit_code == b.outcome.exit_code && a.outcome.out == b.outcome.out &&
         a.outcome.err == b.outcome.err && a.files == b.files;
}

// "--output" of "-o,--output"; the first long name.
std::string long_name(const std::string& names) {
  const size_t begin = names.find("--");
  if (begin == std::string::npos) return names;
  return names.substr(begin, names.find(',', begin) - begin);
}

bool takes_part(const OptionInfo& o) {
  return !o.positional && o.group != "Output" && long_name(o.names) != "--help";
}

struct Counts {
  size_t runs = 0, failed = 0;
  void fail(const std::string& text) {
    ++failed;
    std::cout << text << "\n";
  }
};

// Refused, or another result.
void try_option(const Base& base, const std::string& line, const Trace& before,
                const OptionInfo& option, const Folders& f, Counts& counts) {
  const std::string name = long_name(option.names);
  if (line.find(name) != std::string::npos || find(kSame, base.verb, name) != nullptr) return;
  if (name == "--output" && line.find(" -o ") != std::string::npos) return;
  if (name == "--input" && line.find(" -i ") != std::string::npos) return;
  std::string added = " " + name;
  if (!option.value.empty()) {
    const Row* value = find(kValues, base.verb, name);
    if (value == nullptr) {
      counts.fail("walk.def has no value: edgetwin " + base.verb + " " + name + " " + option.value);
      return;
    }
    added += " " + filled(value->text, f);
  }
  ++counts.runs;
  const Trace after = run(line + added, f);
  const int code = after.outcome.exit_code;
  if (code != 0 && code != 1 && code != 2 && code != 3 && code != 4) {
    counts.fail("exit code " + std::to_string(code) + ": " + line + added + "\n" +
                after.outcome.err);
  } else if (same(before, after)) {
    counts.fail("changes nothing: edgetwin " + base.verb + added + " [" + base.kind + "]");
  }
}

// A flag takes no value: one that is given must be refused, not dropped.
void try_flag_value(const Base& base, const std::string& line, const OptionInfo& option,
                    const Folders& f, Counts& counts) {
  if (!option.value.empty()) return;
  ++counts.runs;
  const std::string added = " " + long_name(option.names) + "=walk";
  const int code = run(line + added, f).outcome.exit_code;
  if (code == 2) return;
  counts.fail("a flag with a value has exit code " + std::to_string(code) + ": edgetwin " +
              base.verb + added);
}

}  // namespace

int main(int argc, char** argv) {
  Folders f;
  std::string part;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--program" && i + 1 < argc) {
      edgetwin::cases::find_first(fs::absolute(argv[++i]));
    } else if (word == "--files" && i + 1 < argc) {
      f.files = fs::absolute(argv[++i]);
    } else if (word == "--models" && i + 1 < argc) {
      f.models = fs::absolute(argv[++i]);
    } else {
      part = word;
    }
  }
  f.made = make_folder();
  f.scratch = make_folder();
  Counts counts;
  for (const std::string& command : kMade) {
    const Outcome made = execute(filled(command, f), {}, f.made, f.scratch);
    if (made.exit_code != 0) counts.fail("setup: " + command + "\n" + made.err);
  }
  std::map<std::string, std::vector<OptionInfo>> options;
  for (const auto& info : edgetwin::cli::describe(edgetwin::cli::verbs())) {
    options[info.words] = info.options;
  }
  std::set<std::string> tried;  // of these verbs each flag was given a value
  for (const Base& base : kBases) {
    if (!part.empty() && base.verb.find(part) == std::string::npos) continue;
    const std::string line = "edgetwin " + base.verb + " " + filled(base.words, f);
    const Trace before = run(line, f);
    if (before.outcome.exit_code > 1) {
      counts.fail("does not work: " + line + "\n" + before.outcome.err);
      continue;
    }
    if (!options.contains(base.verb)) counts.fail("no verb " + base.verb);
    const bool first = tried.insert(base.verb).second;
    for (const OptionInfo& o : options[base.verb]) {
      if (!takes_part(o)) continue;
      try_option(base, line, before, o, f, counts);
      if (first) try_flag_value(base, line, o, f, counts);
    }
  }
  fs::remove_all(f.made);
  fs::remove_all(f.scratch);
  std::cout << counts.runs << " runs, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.runs > 0 ? 0 : 1;
}
