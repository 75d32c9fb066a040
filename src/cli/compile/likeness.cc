#include "base/file.h"
#include "cli/compile/arguments.h"
#include "cli/shared/text.h"
#include "edgetwin/compile.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::string percent(size_t part, size_t all) {
  if (all == 0) return "";
  return " (" +
         report::fixed_text(100.0 * static_cast<double>(part) / static_cast<double>(all), 1) +
         " %)";
}

std::string opcodes_text(const EdgetpuLikeness& l, Json& all) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"opcode"},
                           {"ours", Align::right},
                           {"theirs", Align::right},
                           {"equal", Align::right},
                           {"places", Align::right},
                           {"other", Align::right},
                           {"missing", Align::right},
                           {"extra", Align::right}});
  Json rows = Json::array();
  for (const auto& o : l.opcodes) {
    const auto text = [](size_t n) { return std::to_string(n); };
    table.add({o.name + (o.order ? " *" : ""), text(o.ours), text(o.theirs), text(o.equal),
               text(o.placed), text(o.other), text(o.missing), text(o.extra)});
    Json j = Json::object();
    j.set("opcode", o.name).set("order", o.order).set("ours", o.ours).set("theirs", o.theirs);
    j.set("equal", o.equal).set("with_counters", o.counters).set("places", o.placed);
    j.set("other", o.other).set("missing", o.missing).set("extra", o.extra);
    rows.push(std::move(j));
  }
  all.set("opcodes", std::move(rows));
  return table.text() + "  * orders engines or feeds the scalar core; not in the sums\n";
}

std::string uses_text(const EdgetpuLikeness& l, Json& all) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"use"},
                           {"ours", Align::right},
                           {"theirs", Align::right},
                           {"equal", Align::right},
                           {"anywhere", Align::right},
                           {"waits", Align::right},
                           {"extra", Align::right}});
  Json rows = Json::array();
  for (const auto& u : l.uses) {
    const auto text = [](size_t n) { return std::to_string(n); };
    const bool compared = u.name != "order";
    table.add({u.name + (u.body ? " +" : ""), text(u.ours), text(u.theirs),
               compared ? text(u.equal) : "", compared ? text(u.anywhere) : "",
               compared ? text(u.waits) : "", compared ? text(u.extra) : ""});
    Json j = Json::object();
    j.set("use", u.name).set("body", u.body).set("ours", u.ours).set("theirs", u.theirs);
    j.set("equal", u.equal).set("anywhere", u.anywhere).set("waits", u.waits);
    j.set("extra", u.extra);
    rows.push(std::move(j));
  }
  all.set("uses", std::move(rows));
  return table.text() +
         "  + the body; anywhere: equal wherever parameters rest; waits: those with waits\n";
}

std::string body_text(const EdgetpuLikeness& l) {
  const auto& b = l.body;
  if (b.theirs == 0) return "body        none: it has no instruction of the uses marked +\n";
  return "body        " + plural(b.theirs, "instruction") +
         " of layers without heads: " + std::to_string(b.equal) + " equal" +
         percent(b.equal, b.theirs) + ", " + std::to_string(b.anywhere) +
         " wherever parameters rest" + percent(b.anywhere, b.theirs) + ",\n            " +
         std::to_string(b.waits) + " of these with waits" + percent(b.waits, b.theirs) + "\n";
}

void show_uses(const EdgetpuLikeness& l, Json& all, Console& console) {
  const auto& b = l.body;
  console.print(body_text(l));
  console.print(uses_text(l, all));
  Json causes = Json::array();
  constexpr size_t kShown = 24;
  for (size_t k = 0; k < l.causes.size(); ++k) {
    const auto& c = l.causes[k];
    if (k < kShown) {
      console.print("cause       " + std::to_string(c.count) + " " + c.text +
                    (c.example.empty() ? "" : " (" + c.example + ")") + "\n");
    }
    Json j = Json::object();
    j.set("cause", c.text).set("instructions", c.count).set("waits_alone", c.waits);
    j.set("example", c.example);
    causes.push(std::move(j));
  }
  if (l.causes.size() > kShown) {
    console.print("            and " + plural(l.causes.size() - kShown, "other cause") + "\n");
  }
  all.set("body", b.theirs).set("body_equal", b.equal).set("body_anywhere", b.anywhere);
  all.set("body_waits", b.waits).set("causes", std::move(causes));
}

}  // namespace

// Ours beside those of another compiler: what is equal, and by opcode what is not.
Status show_likeness(const CompileArguments& a, ByteSpan file, ByteSpan theirs, Console& console) {
  EDGETWIN_TRY_ASSIGN(const EdgetpuLikeness l, compare_edgetpu(file, theirs, a.compare));
  Json all = Json::object();
  console.print("beside      " + a.compare + (l.same_bytes ? ": the same bytes\n" : "\n"));
  console.print("            " + std::to_string(l.equal) + " of its " +
                plural(l.theirs, "instruction") + " equal" + percent(l.equal, l.theirs) + ", " +
                std::to_string(l.placed) + " but for places, " + std::to_string(l.counters) +
                " with waits and counters\n");
  console.print("            " + std::to_string(l.equal_fields) + " of " +
                std::to_string(l.fields) + " fields of pairs equal" +
                percent(l.equal_fields, l.fields) + "\n");
  show_uses(l, all, console);
  console.print(opcodes_text(l, all));
  Json fields = Json::array();
  constexpr size_t kShown = 12;
  for (size_t k = 0; k < l.differing.size(); ++k) {
    if (k < kShown) {
      console.print("differs     " + l.differing[k].first + " in " +
                    plural(l.differing[k].second, "pair") + "\n");
    }
    Json j = Json::object();
    j.set("field", l.differing[k].first).set("pairs", l.differing[k].second);
    fields.push(std::move(j));
  }
  all.set("file", a.compare).set("same_bytes", l.same_bytes).set("theirs", l.theirs);
  all.set("equal", l.equal).set("places", l.placed).set("with_counters", l.counters);
  all.set("fields", l.fields).set("equal_fields", l.equal_fields);
  all.set("differing", std::move(fields));
  console.json().set("beside", std::move(all));
  return Ok{};
}

}  // namespace edgetwin::cli
