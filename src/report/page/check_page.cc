#include "report/page/check_page.h"

#include "report/format.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"

namespace edgetwin::report {
namespace {

// Cells of words, which wrap where numbers stay on a line.
std::string sentences(const HtmlTable& table) {
  return "<div class=\"sentences\">" + table.html() + "</div>\n";
}

std::string rows_section(const CheckPage& page) {
  HtmlTable table({"", "what", "numbers"}, {});
  for (const CheckRow& row : page.rows) {
    table.add({row.passed ? html_escaped(row.word) : "<b>" + html_escaped(row.word) + "</b>",
               html_escaped(row.what), html_escaped(row.detail)});
  }
  return "<h2>Checks</h2>\n" + (page.rows.empty() ? "<p>There were none.</p>\n" : sentences(table));
}

std::string findings_list(const CheckPage& page) {
  HtmlTable table({"", "where", "what", "what to do"}, {});
  for (const Finding& f : page.findings) {
    table.add({std::string(name(f.severity)), html_escaped(to_text(f.place)),
               html_escaped(line_text(f)), html_escaped(f.hint)});
  }
  return "<h2>Findings</h2>\n" + (page.findings.empty() ? "<p>None.</p>\n" : sentences(table));
}

}  // namespace

std::string html_page(const CheckPage& page) {
  const std::string title = html_escaped(page.title);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
      title + " – edgetwin</title><style>" + std::string(kPageStyle) +
      "</style></head><body><main>\n<header><h1>" + title + "</h1><span class=\"soft\">edgetwin " +
      html_escaped(page.version) + "</span></header>\n<p class=\"verdict " +
      (page.yes ? "yes" : "no") + "\">" + html_escaped(page.verdict) + "</p>\n";
  html += "<h2>What was asked</h2>\n<table class=\"asked\"><tbody>";
  for (const auto& [what, which] : page.asked) {
    html += "<tr><td>" + html_escaped(what) + "</td><td><code>" + html_escaped(which) +
            "</code></td></tr>";
  }
  html += "</tbody></table>\n" + rows_section(page) + findings_list(page);
  return html + "<h2>How to repeat it</h2>\n<pre>" + html_escaped(page.command) +
         "</pre>\n</main></body></html>\n";
}

}  // namespace edgetwin::report
