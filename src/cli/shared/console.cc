#include "cli/shared/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/shown.h"
#include "base/words/near_file.h"
#include "edgetwin/version.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kRed = "\033[1;31m";
constexpr const char* kYellow = "\033[1;33m";
constexpr const char* kCyan = "\033[1;36m";
constexpr const char* kPlain = "\033[0m";
constexpr auto kBarDelay = std::chrono::milliseconds(300);
constexpr auto kBarInterval = std::chrono::milliseconds(50);
constexpr auto kTick = std::chrono::milliseconds(100);
constexpr int kBarWidth = 30;
constexpr size_t kStepWidth = 40;

bool wants_color(Color color, bool terminal) {
  if (color != Color::automatic) return color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  return terminal && (no_color == nullptr || *no_color == '\0');
}

bool write_all(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size();
}

// Names come from files. In a message they stay in its line.
std::string harmless(std::string_view text) { return shown_text(text, LineEnds::keep); }

// A word of the command line with a line end, such as a file's name, must not print a line of its
// own.
std::string in_their_lines(std::string_view text, const std::vector<std::string>& words) {
  std::string safe(text);
  for (const std::string& word : words) {
    if (word.find('\n') == std::string::npos) continue;
    const std::string shown = shown_text(word, LineEnds::escape);
    for (size_t at = 0; (at = safe.find(word, at)) != std::string::npos; at += shown.size()) {
      safe.replace(at, word.size(), shown);
    }
  }
  return safe;
}

// A word of a command line as a shell reads it back.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./:=,+@%") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Console::Console(ConsoleOptions options) : options_(std::move(options)) {
  terminal_ = ::isatty(STDERR_FILENO) != 0;
  error_colors_ = wants_color(options_.color, terminal_);
}

Console::~Console() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear_bar();
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

std::string Console::command_line() const {
  std::string text = "edgetwin";
  for (size_t i = 1; i < options_.words.size(); ++i) text += " " + shell_word(options_.words[i]);
  return text;
}

void Console::print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  last_output_ = std::chrono::steady_clock::now();
  const std::string safe = harmless(in_their_lines(text, options_.words));
  if (options_.captured != nullptr) {
    options_.captured->text += safe;
    return;
  }
  clear_bar();
  if (!options_.json) write_all(stdout, safe);
}

void Console::to_stderr(const std::string& text) {
  if (options_.captured != nullptr) return;
  const std::lock_guard lock(mutex_);
  last_output_ = std::chrono::steady_clock::now();
  clear_bar();
  std::fflush(stdout);
  write_all(stderr, text);
}

std::string Console::colored(std::string_view word, const char* style) const {
  return error_colors_ ? style + std::string(word) + kPlain : std::string(word);
}

void Console::finding(const Finding& f) {
  const bool shown = f.severity == Severity::note ? options_.verbose : !options_.quiet;
  if (!shown) return;
  static constexpr const char* kStyles[] = {kCyan, kYellow, kRed};
  const std::string_view word = name(f.severity);
  to_stderr(colored(word, kStyles[static_cast<size_t>(f.severity)]) +
            harmless(to_text(f).substr(word.size())));
}

void Console::note(const std::string& text) {
  if (options_.verbose) to_stderr(colored("note", kCyan) + ": " + harmless(text) + "\n");
}

int Console::error(const Error& raised) {
  const Error e = with_near_file(raised);
  constexpr std::string_view kWord = "error";
  to_stderr(colored(kWord, kRed) + harmless(to_text(e).substr(kWord.size())));
  errors_.push(report::to_json(e));
  if (options_.captured != nullptr) options_.captured->errors.push_back(e);
  return info(e.code).exit_code;
}

void Console::progress(double fraction, std::string_view step) {
  if (!terminal_ || options_.quiet || options_.captured != nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  last_output_ = now;
  if (now - start_ < kBarDelay || now - last_bar_ < kBarInterval) return;
  last_bar_ = now;
  const int full = static_cast<int>(fraction * kBarWidth);
  std::string bar(static_cast<size_t>(full), '#');
  bar.resize(kBarWidth, '.');
  std::string percent = std::to_string(static_cast<int>(fraction * 100.0));
  percent.insert(0, 3 - std::min<size_t>(percent.size(), 3), ' ');
  draw_bar("[" + bar + "] " + percent + " %  " + std::string(step.substr(0, kStepWidth)));
}

void Console::draw_bar(const std::string& text) {
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  bar_shown_ = true;
}

void Console::show_activity() {
  if (!terminal_ || options_.quiet || ticker_.joinable()) return;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // Without a thread there is no bar.
  }
}

void Console::tick() {
  std::unique_lock lock(mutex_);
  for (size_t at = 0; !end_.wait_for(lock, kTick, [this] { return ended_; }); ++at) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_output_ < kBarDelay) continue;
    constexpr size_t kBlock = 6, kWay = kBarWidth - kBlock;
    const size_t place = at % (2 * kWay);
    std::string bar(kBarWidth, '.');
    bar.replace(place < kWay ? place : 2 * kWay - place, kBlock, kBlock, '#');
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
    draw_bar("[" + bar + "] " + std::to_string(seconds) + " s  " + options_.command);
  }
}

ProgressSink Console::progress_sink() {
  return [this](double fraction, std::string_view step) { progress(fraction, step); };
}

void Console::clear_bar() {
  if (!bar_shown_) return;
  bar_shown_ = false;
  std::fputs("\r\033[K", stderr);
}

int Console::finish(int exit_code) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    clear_bar();
  }
  if (options_.json) {
    report::Json all = report::Json::object();
    all.set("schema", 1).set("program", "edgetwin").set("version", version());
    all.set("command", options_.command).set("exit_code", exit_code).set("errors", errors_);
    const std::string text = all.merge(document_).text();
    if (options_.captured != nullptr) {
      options_.captured->json = text;
      return exit_code;
    }
    write_all(stdout, text);
  }
  if (options_.captured != nullptr) return exit_code;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string why = std::strerror(errno);
  to_stderr(to_text(Error(ErrorCode::file_write, "standard output cannot be written: " + why)));
  return info(ErrorCode::file_write).exit_code;
}

}  // namespace edgetwin::cli
