#include "edgetwin/timeline.h"

#include <charconv>

#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "cli/timeline/arguments.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

constexpr uint64_t kMostOrders = 1000;

Error bad_order(const std::string& word) {
  return Error(ErrorCode::usage, "'" + word + "' is neither a seed nor a range of at most " +
                                     std::to_string(kMostOrders) + " seeds such as 1..20")
      .in_field("--interleave");
}

Result<uint64_t> number_of(std::string_view text, const std::string& word) {
  uint64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end != text.data() + text.size()) return bad_order(word);
  return n;
}

Result<std::vector<uint64_t>> orders_of(const std::vector<std::string>& words) {
  std::vector<uint64_t> orders;
  for (const std::string& word : words) {
    const size_t dots = word.find("..");
    EDGETWIN_TRY_ASSIGN(const uint64_t first, number_of(word.substr(0, dots), word));
    uint64_t last = first;
    if (dots != std::string::npos) {
      EDGETWIN_TRY_ASSIGN(last, number_of(word.substr(dots + 2), word));
    }
    if (last < first || last - first >= kMostOrders) return bad_order(word);
    for (uint64_t n = first; n <= last; ++n) orders.push_back(n);
  }
  return orders;
}

std::string layers_text(const ProgramTimeline& t) {
  TextTable table({{"layer", TextTable::Align::right},
                   {"instructions", TextTable::Align::right},
                   {"begin", TextTable::Align::right},
                   {"end", TextTable::Align::right},
                   {"busiest"},
                   {"busy", TextTable::Align::right},
                   {"waiting", TextTable::Align::right}});
  for (size_t n = 0; n < t.layers.size(); ++n) {
    const LayerOnChip& l = t.layers[n];
    table.add({std::to_string(n), std::to_string(l.instructions), report::duration_text(l.begin),
               report::duration_text(l.end), l.engine, report::duration_text(l.busy),
               report::duration_text(l.waiting)});
  }
  return table.text(2);
}

std::string verdict_of(const ProgramTimeline& t) {
  const std::string orders =
      t.orders == 1 ? "the fixed order" : "all " + std::to_string(t.orders) + " orders";
  if (!t.good()) {
    return "not good: " + std::to_string(t.different) + " of " + std::to_string(t.orders) +
           " orders give other bytes, " + std::to_string(t.findings.size()) + " findings";
  }
  std::string text = "equal bytes in " + orders;
  text += t.checked == 0 ? "; accesses were not looked at"
                         : "; " + report::count_text(static_cast<int64_t>(t.checked)) +
                               " accesses, none unordered" +
                               (t.same_bytes == 0 ? ""
                                                  : " but " + std::to_string(t.same_bytes) +
                                                        " pairs that write the same bytes");
  return text + (t.short_lines ? " with the true words of short lines" : "");
}

Result<Json> json_of(const ProgramTimeline& t) {
  EDGETWIN_TRY_ASSIGN(Json j, Json::parse(t.json, "timeline"));
  j.set("name", t.name).set("microseconds", t.time).set("orders", t.orders);
  j.set("different", t.different).set("accesses", t.checked).set("good", t.good());
  return j.set("short_lines", t.short_lines).set("same_bytes", t.same_bytes);
}

Status write_files(const TimelineArguments& a, const std::vector<ProgramTimeline>& all) {
  if (all.size() > 1 && (!a.trace.empty() || !a.picture.empty())) {
    return Error(ErrorCode::usage, "the file has " + std::to_string(all.size()) +
                                       " programs, and one fits into a trace or picture")
        .in_file(a.model)
        .with_hint("Take one out with `edgetwin extract`.");
  }
  if (!a.trace.empty()) EDGETWIN_TRY(a.trace.write(all.front().trace));
  if (!a.picture.empty()) EDGETWIN_TRY(a.picture.write(ByteSpan(all.front().picture)));
  return Ok{};
}

}  // namespace

Result<int> execute(const TimelineArguments& a, Console& console) {
  TimelineOptions options;
  EDGETWIN_TRY_ASSIGN(options.orders, orders_of(a.orders));
  options.data = static_cast<uint32_t>(a.data);
  options.races = !a.no_races;
  options.tile = static_cast<size_t>(a.tile);
  EDGETWIN_TRY(a.trace.check());
  EDGETWIN_TRY(a.picture.check());
  EDGETWIN_TRY_ASSIGN(const std::vector<ProgramTimeline> all,
                      timeline(a.model, options, console.progress_sink()));
  EDGETWIN_TRY(write_files(a, all));
  bool good = true;
  Json programs = Json::array();
  for (const ProgramTimeline& t : all) {
    good = good && t.good();
    for (const Finding& f : t.findings) console.finding(f);
    console.print(t.name + ": " + report::duration_text(t.time) +
                  " by the model of costs, which is not a measurement\n" + layers_text(t) +
                  verdict_of(t) + "\n");
    EDGETWIN_TRY_ASSIGN(Json j, json_of(t));
    programs.push(std::move(j));
  }
  console.json().set("programs", std::move(programs)).set("good", good);
  return good ? kYes : kNo;
}

}  // namespace edgetwin::cli
