// Runs the text files of this folder: each holds a command line and exactly what must come of it.
// README.md describes the form. Usage:
//   run_cases --program FILE --cases DIR --models DIR [--update] [part of a name]...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"

namespace fs = std::filesystem;

namespace {

using edgetwin::cases::execute;
using edgetwin::cases::make_folder;
using edgetwin::cases::Outcome;
using edgetwin::cases::slurp;

struct Options {
  fs::path program, cases, models;
  bool update = false;
  std::vector<std::string> parts;
};

struct Case {
  std::vector<std::string> head;  // comments and directives, kept by --update
  std::vector<std::string> env, setup;
  std::string command;
  int exit_code = 0;
  std::string out, err;
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

bool take_prefix(const std::string& line, const std::string& prefix, std::string& rest) {
  if (line.compare(0, prefix.size(), prefix) != 0) return false;
  rest = line.substr(prefix.size());
  return true;
}

Case parse(const std::string& text) {
  Case c;
  std::istringstream lines(text);
  std::string* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    std::string rest;
    if (line == "--- stdout") {
      section = &c.out;
    } else if (line == "--- stderr") {
      section = &c.err;
    } else if (section != nullptr) {
      *section += line + "\n";
    } else if (take_prefix(line, "exit: ", rest)) {
      c.exit_code = std::atoi(rest.c_str());
    } else {
      c.head.push_back(line);
      if (take_prefix(line, "env: ", rest)) c.env.push_back(rest);
      if (take_prefix(line, "setup: ", rest)) c.setup.push_back(rest);
      if (take_prefix(line, "run: ", rest)) c.command = rest;
    }
  }
  return c;
}

std::string print(const Case& c) {
  std::string text;
  for (const std::string& line : c.head) text += line + "\n";
  text += "exit: " + std::to_string(c.exit_code) + "\n";
  return text + "--- stdout\n" + c.out + "--- stderr\n" + c.err;
}

// Paths of this machine against the words that stand for them.
struct Places {
  std::vector<std::pair<std::string, std::string>> pairs;

  std::string expand(std::string text) const {
    for (const auto& [word, path] : pairs) replace_all(text, word, path);
    return text;
  }
  std::string fold(std::string text) const {
    for (const auto& [word, path] : pairs) replace_all(text, path, word);
    return text;
  }
};

Outcome run(const Case& c, const Options& options) {
  const fs::path scratch = make_folder();
  const fs::path work = scratch / "work";
  fs::create_directory(work);
  Places places;
  places.pairs = {{"{files}", (options.cases / "files").string()},
                  {"{models}", options.models.string()},
                  {"{tmp}", work.string()}};
  for (const std::string& line : c.setup) {
    const Outcome done = execute(places.expand(line), c.env, work, scratch);
    if (done.exit_code != 0) std::cerr << "setup failed: " << line << "\n" << done.err;
  }
  Outcome outcome = execute(places.expand(c.command), c.env, work, scratch);
  outcome.out = places.fold(outcome.out);
  outcome.err = places.fold(outcome.err);
  fs::remove_all(scratch);
  return outcome;
}

// Every text ends in a newline, so that sections of a case file can be told apart.
std::string ended(std::string text) {
  if (!text.empty() && text.back() != '\n') text += "\n(no newline at the end)\n";
  return text;
}

void show(const std::string& what, const std::string& expected, const std::string& actual) {
  if (expected == actual) return;
  std::istringstream a(expected), b(actual);
  std::string la, lb;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(a, la));
    const bool more_b = static_cast<bool>(std::getline(b, lb));
    if (more_a && more_b && la == lb) continue;
    std::cerr << "  " << what << ", line " << number
              << "\n    expected: " << (more_a ? la : "(end)")
              << "\n    actual:   " << (more_b ? lb : "(end)") << "\n";
    return;
  }
}

bool check(const fs::path& file, const Options& options) {
  Case c = parse(slurp(file));
  const Outcome outcome = run(c, options);
  const std::string out = ended(outcome.out);
  const std::string err = ended(outcome.err);
  const bool same = outcome.exit_code == c.exit_code && out == c.out && err == c.err;
  if (same) return true;
  std::cerr << (options.update ? "updated " : "FAILED ") << file.string() << "\n";
  show("exit code", std::to_string(c.exit_code), std::to_string(outcome.exit_code));
  show("stdout", c.out, out);
  show("stderr", c.err, err);
  if (!options.update) return false;
  c.exit_code = outcome.exit_code;
  c.out = out;
  c.err = err;
  std::ofstream(file, std::ios::binary) << print(c);
  return true;
}

bool wanted(const fs::path& file, const Options& options) {
  if (options.parts.empty()) return true;
  const std::string name = fs::relative(file, options.cases).string();
  return std::any_of(options.parts.begin(), options.parts.end(), [&name](const std::string& part) {
    return name.find(part) != std::string::npos;
  });
}

std::vector<fs::path> find_cases(const Options& options) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(options.cases)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".txt" || path.parent_path() == options.cases) continue;
    if (path.parent_path().filename() == "files" || path.filename() == "CMakeLists.txt") continue;
    if (wanted(path, options)) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Options parse_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return i + 1 < argc ? fs::absolute(argv[++i]) : fs::path(); };
    if (word == "--program") {
      o.program = next();
    } else if (word == "--cases") {
      o.cases = next();
    } else if (word == "--models") {
      o.models = next();
    } else if (word == "--update") {
      o.update = true;
    } else {
      o.parts.push_back(word);
    }
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.program.empty() || options.cases.empty() || options.models.empty()) {
    std::cerr << "usage: run_cases --program FILE --cases DIR --models DIR [--update] [part]...\n";
    return 2;
  }
  edgetwin::cases::find_first(options.program);
  const std::vector<fs::path> files = find_cases(options);
  int failed = 0;
  for (const fs::path& file : files) failed += check(file, options) ? 0 : 1;
  std::cout << files.size() << " cases, " << failed << " failed\n";
  return failed == 0 && !files.empty() ? 0 : 1;
}
