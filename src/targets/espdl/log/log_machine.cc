#include <algorithm>

#include "targets/espdl/log/log_reader.h"

namespace edgetwin::targets::espdl {
namespace {

constexpr std::string_view kMark = "EDGETWIN ";
constexpr size_t kMaxInfo = 10'000;
constexpr size_t kMaxWord = 4096;

// Words have %XX for what would end them.
std::string decoded(std::string_view word) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string result;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '%' && i + 2 < word.size() && digit(word[i + 1]) >= 0 &&
        digit(word[i + 2]) >= 0) {
      result += static_cast<char>(digit(word[i + 1]) * 16 + digit(word[i + 2]));
      i += 2;
    } else {
      result += word[i];
    }
  }
  return result;
}

struct Pair {
  std::string_view key, value;
};

// "key=value"; nothing for other words.
std::optional<Pair> pair_of(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return Pair{word.substr(0, equals), word.substr(equals + 1)};
}

// All pairs of a line; false where a word is none.
bool take_pairs(std::string_view rest, std::vector<Pair>& pairs) {
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    const auto pair = pair_of(word);
    if (!pair || word.size() > kMaxWord) return false;
    pairs.push_back(*pair);
  }
  return true;
}

// The integer of a key that must be there once.
bool integer_of(const std::vector<Pair>& pairs, std::string_view key, int64_t& value) {
  std::optional<int64_t> found;
  for (const Pair& pair : pairs) {
    if (pair.key != key) continue;
    if (found) return false;
    found = to_integer(pair.value);
    if (!found) return false;
  }
  if (!found) return false;
  value = *found;
  return true;
}

std::string text_of(const std::vector<Pair>& pairs, std::string_view key) {
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return pair.key == key; });
  return found == pairs.end() ? "" : decoded(found->value);
}

bool read_numbers(const std::vector<Pair>& pairs, LogCheck& check) {
  if (check.passed) return integer_of(pairs, "n", check.compared) && check.compared >= 0;
  check.has_first = integer_of(pairs, "first", check.first) && integer_of(pairs, "hw", check.hw) &&
                    integer_of(pairs, "sim", check.sim);
  return check.has_first && check.first >= 0 && integer_of(pairs, "count", check.count) &&
         check.count > 0;
}

}  // namespace

void MachineLines::damaged(const LogLine& line, std::string_view what) {
  damaged_ = true;
  add_finding(
      log_, Severity::warning, line.number,
      line.whole ? std::string(what) : "the log ends within this line: " + std::string(what));
}

void MachineLines::restart(const LogLine& line) {
  if (log_.starts > 0 || !log_.checks.empty()) {
    add_finding(log_, Severity::note, line.number,
                log_.has_summary ? "the chip began again; the run before counts no more"
                                 : "the chip began again before the run before had ended");
  }
  ++log_.starts;
  log_.checks.clear();
  log_.info.clear();
  log_.has_summary = false;
  damaged_ = false;
}

void MachineLines::read_info(std::string_view rest, const LogLine& line) {
  std::vector<Pair> pairs;
  if (!take_pairs(rest, pairs) || pairs.empty() || !line.whole) {
    return add_finding(log_, Severity::warning, line.number, "an info line is damaged");
  }
  if (pairs[0].key == "begin") restart(line);
  for (const Pair& pair : pairs) {
    if (log_.info.size() >= kMaxInfo) return;
    log_.info.push_back({std::string(pair.key), decoded(pair.value), line.number});
  }
}

void MachineLines::read_summary(std::string_view rest, const LogLine& line) {
  const std::string_view verdict = take_word(rest);
  std::vector<Pair> pairs;
  // Cut off after a digit, "failed=1" may have been "failed=12": an unfinished line is no summary.
  if (!line.whole || (verdict != "PASS" && verdict != "FAIL") || !take_pairs(rest, pairs) ||
      !integer_of(pairs, "checks", summary_checks_) ||
      !integer_of(pairs, "failed", summary_failed_)) {
    return damaged(line, "the summary line is damaged");
  }
  if (log_.has_summary) return damaged(line, "there is a second summary");
  log_.has_summary = true;
  summary_passed_ = verdict == "PASS";
}

void MachineLines::read_check(std::string_view suite, std::string_view rest, const LogLine& line) {
  if (log_.checks.size() >= kMaxLogChecks) return;
  LogCheck check;
  check.suite = decoded(suite);
  check.name = decoded(take_word(rest));
  check.line = line.number;
  const std::string_view verdict = take_word(rest);
  std::vector<Pair> pairs;
  check.passed = verdict == "PASS";
  if ((verdict != "PASS" && verdict != "FAIL") || !take_pairs(rest, pairs) ||
      !read_numbers(pairs, check) || !line.whole) {
    return damaged(line, "the line of a check is damaged");
  }
  check.node = text_of(pairs, "node");
  check.reason = text_of(pairs, "reason");
  log_.checks.push_back(std::move(check));
}

void MachineLines::read(const LogLine& line) {
  // Other tasks may have printed before it on the same line.
  const size_t at = line.text.find(kMark);
  if (at == std::string_view::npos) return;
  if (at > 0 && line.text[at - 1] != ' ' && line.text[at - 1] != ':') return;
  std::string_view rest = line.text.substr(at + kMark.size());
  const std::string_view suite = take_word(rest);
  seen_ = true;
  if (suite == "info") return read_info(rest, line);
  if (suite == "summary") return read_summary(rest, line);
  read_check(suite, rest, line);
}

void MachineLines::finish() {
  const auto failed = std::count_if(log_.checks.begin(), log_.checks.end(),
                                    [](const LogCheck& c) { return !c.passed; });
  const bool agree =
      summary_checks_ == static_cast<int64_t>(log_.checks.size()) && summary_failed_ == failed;
  if (!log_.has_summary) {
    add_finding(log_, Severity::error, 0,
                "the summary is missing: the chip had not finished, or the log is not whole");
  } else if (!agree) {
    add_finding(log_, Severity::error, 0,
                "the summary counts " + std::to_string(summary_checks_) + " checks, " +
                    std::to_string(summary_failed_) + " of them failed; the log shows " +
                    std::to_string(log_.checks.size()) + " and " + std::to_string(failed) +
                    ": lines are missing");
  }
  const bool whole = log_.has_summary && agree && !damaged_;
  // A verdict over nothing is a no.
  const bool compared = std::any_of(log_.checks.begin(), log_.checks.end(), [](const LogCheck& c) {
    return c.suite != "load" && c.compared > 0;
  });
  if (whole && failed == 0 && !compared) {
    add_finding(log_, Severity::error, 0, "no check compared a single value");
  }
  if (failed > 0 || (log_.has_summary && !summary_passed_)) {
    log_.verdict = DeviceLog::Verdict::fail;
  } else if (whole && summary_passed_ && compared) {
    log_.verdict = DeviceLog::Verdict::pass;
  }
}

}  // namespace edgetwin::targets::espdl
