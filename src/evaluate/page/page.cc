#include "evaluate/page/page.h"

#include <algorithm>
#include <cmath>

#include "report/format.h"
#include "report/page/page_parts.h"
#include "report/page/page_style.h"

namespace edgetwin::evaluation {
namespace {

using report::fixed_text;
using report::html_escaped;
using report::HtmlTable;

constexpr size_t kMostClasses = 40;  // of the table of confusion

std::string base64(const Bytes& data) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < data.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < data.size() ? static_cast<uint32_t>(data[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      const bool there = i + k <= data.size();
      text += there ? kLetters[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

double number(const Json& j, const char* key) {
  const auto v = j.get(key);
  return v ? v->as_number().value_or(0.0) : 0.0;
}

std::string text(const Json& j, const char* key) { return j.get_string(key).value_or(""); }

bool has_figure(const Json& j) { return j.is_object() && j.get("value").has_value(); }

std::string facts(const Json& metrics) {
  std::string html = "<div class=\"facts\">";
  for (const std::string& key : metrics.keys()) {
    const Json f = *metrics.get(key);
    if (!has_figure(f)) continue;
    html += "<div class=\"fact\"><b>" + fixed_text(number(f, "value"), 4) + "</b><span>" +
            html_escaped(key) + "<br>" + fixed_text(number(f, "low"), 4) + " to " +
            fixed_text(number(f, "high"), 4) + "<br>";
    if (const auto right = f.get_integer("right")) html += std::to_string(*right) + " of ";
    html += std::to_string(f.get_integer("count").value_or(0)) + "</span></div>";
  }
  return html + "</div>\n";
}

std::string share_cell(const Json& one, const char* key) {
  const auto f = one.get(key);
  if (!f || !has_figure(*f)) return "";
  return fixed_text(number(*f, "value"), 4) + " <span class=\"soft\">" +
         std::to_string(f->get_integer("right").value_or(0)) + "/" +
         std::to_string(f->get_integer("count").value_or(0)) + "</span>";
}

std::string class_table(const Json& metrics) {
  const Json classes = metrics.get("classes").value_or(Json::array());
  if (classes.size() == 0) return "";
  std::vector<std::string> keys;
  for (const std::string& key : classes.at(0).keys()) {
    if (key != "class" && key != "name") keys.push_back(key);
  }
  std::vector<std::string> titles = {"class", "name"};
  titles.insert(titles.end(), keys.begin(), keys.end());
  std::vector<size_t> numbers = {0};
  for (size_t i = 2; i < titles.size(); ++i) numbers.push_back(i);
  HtmlTable table(titles, numbers);
  for (size_t i = 0; i < classes.size(); ++i) {
    const Json one = classes.at(i);
    std::vector<std::string> cells = {std::to_string(one.get_integer("class").value_or(0)),
                                      report::name_cell(text(one, "name"))};
    for (const std::string& key : keys) {
      const Json v = one.get(key).value_or(Json());
      if (v.is_object()) {
        cells.push_back(share_cell(one, key.c_str()));
      } else if (const auto whole = v.as_integer()) {
        cells.push_back(std::to_string(*whole));
      } else {
        cells.push_back(v.as_number() ? fixed_text(*v.as_number(), 4) : "");
      }
    }
    table.add(cells);
  }
  return "<h3>Classes</h3>\n" + table.html();
}

// Rows are true classes, columns what was answered. The darker, the larger its share of the row.
std::string confusion_table(const Json& metrics) {
  const Json list = metrics.get("confusion").value_or(Json::array());
  std::map<int64_t, std::map<int64_t, int64_t>> counts;
  std::map<int64_t, int64_t> rows, all;
  for (size_t i = 0; i < list.size(); ++i) {
    const Json one = list.at(i);
    if (one.size() != 3) continue;
    const int64_t truth = one.at(0).as_integer().value_or(0);
    const int64_t found = one.at(1).as_integer().value_or(0);
    counts[truth][found] = one.at(2).as_integer().value_or(0);
    rows[truth] += counts[truth][found];
    ++all[truth];
    ++all[found];
  }
  if (all.empty()) return "";
  if (all.size() > kMostClasses) {
    return "<p class=\"method\">The confusion of " + std::to_string(all.size()) +
           " classes is in the JSON document.</p>\n";
  }
  std::string html =
      "<h3>Confusion</h3><p class=\"method\">Rows: true class. Columns: answer.</p>\n"
      "<div class=\"scroll\"><table><thead><tr><th></th>";
  for (const auto& [found, n] : all)
    html += "<th class=\"number\">" + std::to_string(found) + "</th>";
  html += "</tr></thead><tbody>";
  for (const auto& [truth, row] : counts) {
    html += "<tr><th>" + std::to_string(truth) + "</th>";
    for (const auto& [found, n] : all) {
      const auto at = row.find(found);
      const int64_t count = at == row.end() ? 0 : at->second;
      const int64_t percent = rows[truth] > 0 ? 100 * count / rows[truth] : 0;
      const char* colour = truth == found ? "--good" : "--bad";
      html += "<td class=\"number\"" +
              (count == 0 ? ">"
                          : " style=\"background:color-mix(in srgb, var(" + std::string(colour) +
                                ") " + std::to_string(std::max<int64_t>(10, percent / 2)) +
                                "%, transparent)\">" + std::to_string(count)) +
              "</td>";
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

std::string worst_list(const Json& model, const Thumbnails& pictures) {
  const Json worst = model.get("worst").value_or(Json::array());
  if (worst.size() == 0) return "<p>No sample is wrong.</p>\n";
  HtmlTable table({"", "sample", "name", "what is wrong"}, {1});
  for (size_t i = 0; i < worst.size(); ++i) {
    const Json one = worst.at(i);
    const auto index = static_cast<uint64_t>(one.get_integer("index").value_or(0));
    const auto picture = pictures.find(index);
    std::string cell;
    if (picture != pictures.end() && !picture->second.empty()) {
      cell = "<img alt=\"\" style=\"max-height:96px\" src=\"data:image/png;base64," +
             base64(picture->second) + "\">";
    }
    table.add({cell, std::to_string(index), report::name_cell(text(one, "name")),
               html_escaped(text(one, "why"))});
  }
  return "<h3>The worst samples</h3>\n<div class=\"sentences\">" + table.html() + "</div>\n";
}

std::string beside_table(const Json& model) {
  const auto beside = model.get("beside_first");
  if (!beside) return "";
  HtmlTable table({"beside the first network", ""}, {});
  for (const std::string& key : beside->keys()) {
    const Json v = *beside->get(key);
    std::string cell;
    if (has_figure(v)) {
      cell = share_cell(*beside, key.c_str());
    } else if (key == "first_difference") {
      cell = v.is_object() ? html_escaped(text(v, "name")) : "none";
    } else if (const auto whole = v.as_integer()) {
      cell = std::to_string(*whole);
    } else if (v.as_number()) {
      cell = fixed_text(*v.as_number(), 4);
    }
    table.add({html_escaped(key), cell});
  }
  return table.html();
}

std::string asked(const Json& result) {
  const Json data = result.get("data").value_or(Json::object());
  const Json how = result.get("preprocessing").value_or(Json::object());
  std::string rows;
  const auto row = [&rows](const std::string& what, const std::string& which) {
    rows += "<tr><td>" + html_escaped(what) + "</td><td>" + html_escaped(which) + "</td></tr>";
  };
  row("task", text(result, "task"));
  row("data", text(data, "name") + ", " + text(data, "kind") + ", sha256 " + text(data, "sha256"));
  row("judged", std::to_string(result.get_integer("judged").value_or(0)) + " of " +
                    std::to_string(result.get_integer("samples").value_or(0)) + " samples");
  for (const std::string& key : how.keys()) {
    const Json v = *how.get(key);
    std::string words = v.as_string().value_or("");
    if (const auto n = v.as_number()) words = report::value_text(*n);
    for (size_t i = 0; i < v.size(); ++i) {
      words += (i > 0 ? ", " : "") + report::value_text(v.at(i).as_number().value_or(0.0));
    }
    row(key, words);
  }
  row("intervals", text(result, "interval"));
  return "<h2>What was asked</h2>\n<table class=\"asked\"><tbody>" + rows + "</tbody></table>\n";
}

std::string broken_list(const Json& result) {
  const Json broken = result.get("broken").value_or(Json::array());
  if (broken.size() == 0) return "";
  HtmlTable table({"sample", "name", "why"}, {0});
  for (size_t i = 0; i < broken.size(); ++i) {
    const Json one = broken.at(i);
    table.add({std::to_string(one.get_integer("index").value_or(0)),
               report::name_cell(text(one, "name")), html_escaped(text(one, "why"))});
  }
  return "<h2>Left out</h2>\n<div class=\"sentences\">" + table.html() + "</div>\n";
}

}  // namespace

std::string html_page(const Json& result, const Thumbnails& pictures) {
  const Json models = result.get("models").value_or(Json::array());
  const std::string title =
      "Evaluation of " + html_escaped(models.size() > 0 ? text(models.at(0), "file") : "nothing");
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
      title + " – edgetwin</title><style>" + std::string(report::kPageStyle) +
      "</style></head><body><main>\n<header><h1>" + title + "</h1><span class=\"soft\">edgetwin " +
      html_escaped(text(result, "version")) + "</span></header>\n";
  for (size_t m = 0; m < models.size(); ++m) {
    const Json model = models.at(m);
    const Json metrics = model.get("metrics").value_or(Json::object());
    html += "<h2>" + html_escaped(text(model, "name")) + "</h2>\n<p class=\"method\">" +
            html_escaped(text(model, "computed")) + ", sha256 " +
            html_escaped(text(model, "sha256")) + "</p>\n";
    html += facts(metrics) + beside_table(model) + worst_list(model, pictures) +
            confusion_table(metrics) + class_table(metrics);
  }
  return html + broken_list(result) + asked(result) + "</main></body></html>\n";
}

}  // namespace edgetwin::evaluation
