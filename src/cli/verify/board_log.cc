// `verify --log` of what a MAX78000 or MAX78002 printed, with its network or alone.
#include <algorithm>
#include <map>

#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/verify/kinds.h"
#include "report/format.h"
#include "targets/max78/board/locate.h"
#include "targets/max78/board/log.h"
#include "targets/max78/page/texts.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/place/region.h"

namespace edgetwin::cli {
namespace {

using max78::BoardLog;
using max78::BoardMismatch;
using report::Json;

constexpr size_t kMostShown = 20;

std::string hex8(uint32_t value) {
  std::string text = "0x";
  for (int i = 7; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

// The bytes, or the whole word, that are not as expected, as elements of a layer.
std::string elements_text(const max78::LoadedNetwork& network, const BoardMismatch& m) {
  const auto all = max78::elements_at(network.plan(), m.address);
  const auto layers = max78::output_layers(network.plan());
  // The known answer is of output layers.
  const auto found = std::ranges::find_if(all, [&](const max78::ElementsOfWord& e) {
    return std::ranges::find(layers, e.layer) != layers.end();
  });
  if (found == all.end()) {
    const auto memory = max78::memory_at(*network.plan().chip, m.address);
    return memory ? *memory + ", no output of the network" : "no address of the chip";
  }
  std::string text = max78::result_name(network, found->layer) + ", row " +
                     std::to_string(found->row) + ", column " + std::to_string(found->column) + ":";
  for (size_t b = 0; b < found->channels.size(); ++b) {
    if (found->channels[b] < 0) continue;
    const auto part = [&](uint32_t word) {
      return found->wide ? static_cast<int32_t>(word)
                         : static_cast<int8_t>(static_cast<uint8_t>(word >> (8 * b)));
    };
    if (part(m.expected) == part(m.found)) continue;
    text += " channel " + std::to_string(found->channels[b]) + " expected " +
            std::to_string(part(m.expected)) + ", read " + std::to_string(part(m.found)) + ";";
  }
  text.pop_back();
  return text;
}

// What the known answer has at each address.
using Answer = std::map<uint32_t, uint32_t>;

Result<Answer> answer_of(const max78::LoadedNetwork& network) {
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork made, max78::compile(network));
  Answer answer;
  for (const max78::Run& run : made.expected) {
    for (size_t i = 0; i < run.words.size(); ++i) {
      answer[run.address + 4 * static_cast<uint32_t>(i)] = run.words[i];
    }
  }
  return answer;
}

struct BoardView {
  const max78::LoadedNetwork* network = nullptr;
  Answer answer;
};

Json mismatch_json(const BoardMismatch& m, const std::string& where) {
  Json j = Json::object();
  j.set("line", m.line).set("address", m.address).set("expected", m.expected);
  return std::move(j.set("found", m.found).set("where", where));
}

void show_mismatches(const BoardLog& log, const BoardView& view, VerifyReport& out) {
  Json list = Json::array();
  size_t strange = 0;
  for (size_t i = 0; i < log.mismatches.size(); ++i) {
    const BoardMismatch& m = log.mismatches[i];
    std::string where;
    if (view.network != nullptr) {
      where = elements_text(*view.network, m);
      const auto known = view.answer.find(m.address);
      if (known == view.answer.end() || known->second != m.expected) ++strange;
    }
    list.push(mismatch_json(m, where));
    if (i >= kMostShown) continue;
    out.row(false, "different", hex8(m.address),
            where.empty() ? "expected " + hex8(m.expected) + ", read " + hex8(m.found) : where);
  }
  if (log.mismatches.size() > kMostShown) {
    out.console().print("  and " + std::to_string(log.mismatches.size() - kMostShown) + " more\n");
  }
  out.console().json().set("mismatches", std::move(list));
  if (strange == 0) return;
  out.row(false, "other", "the board's known answer",
          std::to_string(strange) +
              " of its words are not those of this network and sample: the project is of another");
}

void show_times(const BoardLog& log, const BoardView& view, VerifyReport& out) {
  Console& console = out.console();
  if (log.microseconds) {
    std::string text = "time       " + std::to_string(*log.microseconds) + " µs on the board";
    const max78::Plan* plan = view.network != nullptr ? &view.network->plan() : nullptr;
    const double ms = plan != nullptr ? max78::estimated_ms(*plan) : 0.0;
    if (ms > 0) text += ", estimated " + report::fixed_text(1000 * ms, 0) + " µs";
    console.print(text + "\n");
    console.json().set("us", *log.microseconds);
    if (ms > 0) console.json().set("estimated_us", 1000 * ms);
  }
  if (log.classes.empty()) return;
  const auto best = std::ranges::max_element(log.classes, {},
                                             [](const max78::BoardClass& c) { return c.tenths; });
  const std::string share =
      std::to_string(best->tenths / 10) + "." + std::to_string(best->tenths % 10) + " %";
  console.print("class      " + std::to_string(best->number) + " with " + share + "\n");
  console.json().set("class", best->number).set("share", best->tenths / 1000.0);
}

Result<bool> verify_one_log(const std::string& file, const BoardView& view, VerifyReport& out) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(file));
  EDGETWIN_TRY_ASSIGN(const BoardLog log, max78::read_board_log(as_text(bytes), file));
  out.asked("log", file);
  show_mismatches(log, view, out);
  show_times(log, view, out);
  const bool yes = log.passed();
  const std::string count = std::to_string(log.mismatches.size());
  out.compared(yes, "the board's known answer",
               yes                      ? "it printed PASS"
               : log.mismatches.empty() ? "it printed FAIL"
               : log.failures == 0 && log.passes == 0
                   ? count + " words; the log ends before a result"
                   : count + " words");
  return yes;
}

}  // namespace

bool is_board_log(const VerifyArguments& a) {
  if (a.logs.empty()) return false;
  if (!a.max78.network.empty()) return true;
  const Result<Bytes> data = read_file(a.logs.front());
  return a.model.empty() && data.ok() && max78::looks_like_board_log(as_text(*data));
}

Result<int> verify_board_log(const VerifyArguments& a, Console& console) {
  if (!a.model.empty() || !a.expected.empty()) {
    return Error(ErrorCode::usage, std::string(a.model.empty() ? "--expected" : "MODEL") +
                                       " does not go with the log of a board")
        .with_hint("verify --network NET.yaml ... --log FILE, or --log FILE alone.");
  }
  VerifyReport results(a, console);
  EDGETWIN_TRY(results.can_be_written());
  Max78Outcome outcome;
  BoardView view;
  if (!a.max78.network.empty()) {
    Max78Arguments network = a.max78;
    network.target = a.compute.target;
    EDGETWIN_TRY_ASSIGN(outcome, load_max78(network, max78::SampleNeed::numbers, console));
    if (!outcome.ok) return outcome.exit_code;
    view.network = outcome.job.get();
    EDGETWIN_TRY_ASSIGN(view.answer, answer_of(*outcome.job));
  }
  bool yes = true;
  for (const std::string& file : a.logs) {
    EDGETWIN_TRY_ASSIGN(const bool passed, verify_one_log(file, view, results));
    yes = passed && yes;
  }
  const std::string verdict = yes ? "verified" : "not verified";
  console.print(verdict + "\n");
  return results.finish(yes, verdict);
}

}  // namespace edgetwin::cli
