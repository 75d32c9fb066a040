#include "report/page/page.h"

#include "report/format.h"
#include "report/model/diff_report.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"

namespace edgetwin::report {
namespace {

const char* verdict_class(PageData::Verdict v) {
  switch (v) {
    case PageData::Verdict::yes:
      return "verdict yes";
    case PageData::Verdict::no:
      return "verdict no";
    case PageData::Verdict::none:
      break;
  }
  return "verdict";
}

}  // namespace

std::string html_page(const PageData& page) {
  const std::string title = html_escaped(page.title);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>" +
      title + " – edgetwin report</title><style>" + std::string(kPageStyle) +
      "</style></head><body><main>\n";
  html += "<header><h1>" + title + "</h1><span class=\"soft\">edgetwin " +
          html_escaped(page.version) + "</span></header>\n";
  html += "<p class=\"" + std::string(verdict_class(page.verdict)) + "\">" +
          html_escaped(page.verdict_text) + "</p>\n";
  html += asked_section(page) + graph_section(page) + memory_section(page) + time_section(page) +
          numerics_section(page) + comparison_section(page) + findings_section(page);
  html += page.estimate;
  html += "<h2>How to repeat it</h2>\n<pre>" + html_escaped(page.command) + "</pre>\n";
  return html + "</main></body></html>\n";
}

Json page_json(const PageData& page) {
  Json asked = Json::object();
  for (const auto& [what, which] : page.asked) asked.set(what, which);
  Json j = Json::object();
  j.set("verdict", page.verdict_text).set("asked", std::move(asked));
  j.set("model", model_json(*page.model, *page.summary));
  j.set("time", timing_json(*page.session, *page.timing, page.machine, page.isa));
  Json tensors = Json::array();
  for (const TensorRow& row : page.tensors) {
    Json t = Json::object();
    t.set("tensor", row.item.value).set("name", page.session->graph().value(row.item.value).name);
    t.set("operator", row.item.op_index).set("operator_type", row.item.op_type);
    tensors.push(t.merge(to_json(row.stats, true)));
  }
  j.set("tensors", std::move(tensors));
  j.set("comparison", page.comparison ? diff_json(*page.comparison) : Json());
  return j.set("command_line", page.command);
}

}  // namespace edgetwin::report
