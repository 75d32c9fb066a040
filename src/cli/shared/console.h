// The one place that prints: results to standard output, all else to standard error, and with
// --json one document on standard output instead.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "base/progress.h"
#include "report/json.h"

namespace edgetwin::cli {

enum class Color : uint8_t { automatic, always, never };

// What a verb would print and show, kept for a caller in the same process.
struct Captured {
  std::string text, json;
  std::vector<Error> errors;
};

struct ConsoleOptions {
  std::string command;  // the verb, for the JSON document
  bool json = false;
  bool quiet = false;    // errors only on standard error
  bool verbose = false;  // notes too
  Color color = Color::automatic;
  std::vector<std::string> words;  // the command line
  Captured* captured = nullptr;    // not null: nothing is printed
};

class Console {
 public:
  explicit Console(ConsoleOptions options);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  const ConsoleOptions& options() const { return options_; }
  // The command line as a user can paste it.
  std::string command_line() const;

  // A part of the result for people; nothing with --json.
  void print(std::string_view text);
  // The verb's own members of the JSON document.
  report::Json& json() { return document_; }

  // Standard error. Findings: warnings and errors, notes with -v only; nothing with -q.
  void finding(const Finding& finding);
  void note(const std::string& text);
  // Prints the error, keeps it for the document, and gives the exit code of its kind.
  int error(const Error& error);

  // A bar on standard error, where that is a terminal and the work takes long enough to be seen.
  void progress(double fraction, std::string_view step);
  // From now on a moving bar with the seconds stands there whenever nothing was printed for a
  // while: for work whose end is not known.
  void show_activity();
  ProgressSink progress_sink();

  // Ends the output: the document with `exit_code`, or nothing more. Gives the final exit code,
  // which is another one if standard output could not be written.
  int finish(int exit_code);

 private:
  // Both with mutex_ held.
  void clear_bar();
  void draw_bar(const std::string& text);
  void tick();
  void to_stderr(const std::string& text);
  std::string colored(std::string_view word, const char* style) const;

  ConsoleOptions options_;
  report::Json document_ = report::Json::object();
  report::Json errors_ = report::Json::array();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_bar_ = {};
  bool error_colors_ = false;
  bool terminal_ = false;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_output_ = start_;
  std::mutex mutex_;  // of everything that is shown: the ticker is a thread
  std::condition_variable end_;
  bool ended_ = false;
  std::thread ticker_;
};

}  // namespace edgetwin::cli
