// Runs the text files of this folder: each holds a command line and exactly what must come of it.
// README.md describes the form. Usage:
//   run_cases --program FILE --cases DIR --models DIR [--update] [part of a name]...
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

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

struct Outcome {
  int exit_code = 0;
  std::string out, err;
};

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

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

[[noreturn]] void child(const std::string& command, const std::vector<std::string>& env,
                        const fs::path& folder, const fs::path& out, const fs::path& err) {
  const auto redirect = [](const fs::path& path, int to) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
  };
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::chdir(folder.c_str()) != 0) ::_exit(126);
  ::unsetenv("NO_COLOR");
  ::setenv("LC_ALL", "C", 1);
  for (const std::string& assignment : env) {
    const size_t equals = assignment.find('=');
    ::setenv(assignment.substr(0, equals).c_str(), assignment.substr(equals + 1).c_str(), 1);
  }
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(127);
}

Outcome execute(const std::string& command, const std::vector<std::string>& env,
                const fs::path& folder, const fs::path& scratch) {
  const fs::path out = scratch / "stdout";
  const fs::path err = scratch / "stderr";
  const pid_t pid = ::fork();
  if (pid == 0) child(command, env, folder, out, err);
  int status = 0;
  ::waitpid(pid, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, slurp(out), slurp(err)};
}

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "edgetwin-case-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    std::cerr << "cannot make a folder for a case\n";
    std::exit(2);
  }
  return name;
}

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
  const char* old_path = std::getenv("PATH");
  const std::string path =
      options.program.parent_path().string() + ":" + (old_path ? old_path : "");
  ::setenv("PATH", path.c_str(), 1);
  const std::vector<fs::path> files = find_cases(options);
  int failed = 0;
  for (const fs::path& file : files) failed += check(file, options) ? 0 : 1;
  std::cout << files.size() << " cases, " << failed << " failed\n";
  return failed == 0 && !files.empty() ? 0 : 1;
}
