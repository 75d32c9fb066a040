// Runs what a document shows: every line "$ command" of its fenced blocks, in their order and in
// one folder that holds the repository's models and tests, and compares what follows with what
// comes. "…" on a line of its own stands for any lines; a command with nothing below it must only
// succeed. With --update what comes replaces what is shown and does not match, in full.
// Usage: run_tour [--update] --program FILE --root DIR DOCUMENT
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"

namespace fs = std::filesystem;

namespace {

using edgetwin::cases::Outcome;
using Lines = std::vector<std::string>;

struct Shown {
  size_t line = 0;  // of the document, from 1
  std::string command;
  Lines output;
  size_t first = 0;  // line of the document where the output begins, from 0
};

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool continues(const std::string& command) { return !command.empty() && command.back() == '\\'; }

std::vector<Shown> read_tour(const Lines& document) {
  std::vector<Shown> tour;
  bool inside = false;
  bool open = false;  // a command of this block has begun
  size_t number = 0;
  for (const std::string& line : document) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      open = false;
    } else if (inside && line.starts_with("$ ")) {
      tour.push_back({number, line.substr(2), {}, number});
      open = true;
    } else if (open && tour.back().output.empty() && continues(tour.back().command)) {
      tour.back().command.back() = ' ';
      tour.back().command += line;
      tour.back().first = number;
    } else if (open) {
      tour.back().output.push_back(line);
    }
  }
  return tour;
}

bool is_gap(const std::string& line) {
  const size_t at = line.find_first_not_of(' ');
  return at != std::string::npos && line.substr(at) == "…";
}

// The first line of `shown`, from `s` on, that does not come; its size: all come.
size_t first_missing(const Lines& shown, const Lines& actual) {
  size_t a = 0;
  bool gap = false;
  for (size_t s = 0; s < shown.size(); ++s) {
    if (is_gap(shown[s])) {
      gap = true;
      continue;
    }
    while (gap && a < actual.size() && actual[a] != shown[s]) ++a;
    if (a == actual.size() || actual[a] != shown[s]) return s;
    ++a;
    gap = false;
  }
  return gap || a == actual.size() ? shown.size() : shown.size() - 1;
}

// What the command printed, if it is not what is shown.
std::optional<Lines> mismatch(const Shown& s, const fs::path& folder, const fs::path& scratch) {
  const Outcome done = edgetwin::cases::execute(s.command, {}, folder, scratch);
  const Lines actual = lines_of(done.out + done.err);
  const bool good =
      s.output.empty() ? done.exit_code == 0 : first_missing(s.output, actual) == s.output.size();
  if (good) return {};
  std::cerr << "FAILED line " << s.line << ": " << s.command << "\n";
  if (!s.output.empty()) {
    std::cerr << "  not so: " << s.output[first_missing(s.output, actual)] << "\n";
  }
  std::cerr << "  exit code " << done.exit_code << ", and what comes is\n" << done.out << done.err;
  return actual;
}

void replace_output(Lines& document, const Shown& s, const Lines& actual) {
  const auto at = document.begin() + static_cast<std::ptrdiff_t>(s.first);
  document.erase(at, at + static_cast<std::ptrdiff_t>(s.output.size()));
  document.insert(document.begin() + static_cast<std::ptrdiff_t>(s.first), actual.begin(),
                  actual.end());
}

// A folder with the repository's models and tests, in which the commands run.
fs::path make_work_folder(const fs::path& scratch, const fs::path& root) {
  const fs::path work = scratch / "work";
  fs::create_directory(work);
  for (const char* name : {"models", "tests"})
    fs::create_directory_symlink(root / name, work / name);
  return work;
}

// Runs the commands in their order; the number of those that failed. `document` gets their output.
size_t run(const std::vector<Shown>& tour, Lines& document, const fs::path& root) {
  const fs::path scratch = edgetwin::cases::make_folder();
  const fs::path work = make_work_folder(scratch, root);
  std::vector<std::optional<Lines>> outputs;
  for (const Shown& s : tour) outputs.push_back(mismatch(s, work, scratch));
  fs::remove_all(scratch);
  size_t failed = 0;
  for (size_t i = tour.size(); i-- > 0;) {  // from the end, so that the lines keep their numbers
    if (!outputs[i]) continue;
    replace_output(document, tour[i], *outputs[i]);
    ++failed;
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool update = !words.empty() && words[0] == "--update";
  if (update) words.erase(words.begin());
  if (words.size() != 5 || words[0] != "--program" || words[2] != "--root") {
    std::cerr << "usage: run_tour [--update] --program FILE --root DIR DOCUMENT\n";
    return 2;
  }
  edgetwin::cases::find_first(fs::absolute(words[1]));
  Lines document = lines_of(edgetwin::cases::slurp(words[4]));
  const std::vector<Shown> tour = read_tour(document);
  const size_t failed = run(tour, document, fs::absolute(words[3]));
  std::cout << tour.size() << " commands, " << failed << " failed\n";
  if (update && failed > 0) {
    std::ofstream file(words[4]);
    for (const std::string& line : document) file << line << "\n";
  }
  return failed == 0 && !tour.empty() ? 0 : 1;
}
