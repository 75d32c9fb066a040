#include "report/page/page_parts.h"

#include <algorithm>

#include "report/format.h"
#include "report/model/attributes.h"
#include "report/model/diff_report.h"
#include "report/page/charts.h"

namespace edgetwin::report {

HtmlTable::HtmlTable(std::vector<std::string> titles, const std::vector<size_t>& numbers)
    : titles_(std::move(titles)), is_number_(titles_.size(), false) {
  for (const size_t column : numbers) is_number_[column] = true;
}

std::string HtmlTable::cell(const char* tag, size_t column, const std::string& content) const {
  const char* style = is_number_[column] ? " class=\"number\"" : "";
  const char* scope = std::string_view(tag) == "th" ? " scope=\"col\"" : "";
  return "<" + std::string(tag) + scope + style + ">" + content + "</" + tag + ">";
}

void HtmlTable::add(const std::vector<std::string>& cells, const char* row_class) {
  rows_ += *row_class ? "<tr class=\"" + std::string(row_class) + "\">" : "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) rows_ += cell("td", i, cells[i]);
  rows_ += "</tr>\n";
}

std::string HtmlTable::html() const {
  std::string head;
  for (size_t i = 0; i < titles_.size(); ++i) head += cell("th", i, titles_[i]);
  return "<div class=\"scroll\"><table><thead><tr>" + head + "</tr></thead><tbody>\n" + rows_ +
         "</tbody></table></div>\n";
}

std::string name_cell(const std::string& name) {
  return "<div class=\"name\" title=\"" + html_escaped(name) + "\">" +
         html_escaped(shortened(name, 40)) + "</div>";
}

namespace {

// The second line in soft ink.
std::string two_lines(const std::string& first, const std::string& second) {
  return html_escaped(first) + (first.empty() || second.empty() ? "" : "<br>") +
         "<span class=\"soft\">" + html_escaped(second) + "</span>";
}

std::string fact(const std::string& value, const std::string& what) {
  return "<div class=\"fact\"><b>" + html_escaped(value) + "</b><span>" + html_escaped(what) +
         "</span></div>";
}

std::string shapes_text(const PageData& page, const std::vector<ValueId>& ids) {
  const Graph& graph = page.model->main();
  std::string text;
  for (const ValueId id : ids) {
    if (id == kAbsent || graph.value(id).is_constant()) continue;
    text += (text.empty() ? "" : ", ") + to_string(page.summary->shapes[static_cast<size_t>(id)]);
  }
  return text;
}

std::string output_quant(const PageData& page, const OpRow& row) {
  if (row.outputs.empty() || row.outputs[0] == kAbsent) return {};
  const Value& v = page.model->main().value(row.outputs[0]);
  const std::string quant = to_string(v.quant);
  return std::string(name(v.dtype)) + (quant.empty() ? "" : ", " + quant);
}

std::string number(int64_t n) { return n ? count_text(n) : ""; }

}  // namespace

std::string asked_section(const PageData& page) {
  std::string html = "<h2>What was asked</h2>\n<table class=\"asked\"><tbody>";
  for (const auto& [what, which] : page.asked) {
    html += "<tr><td>" + html_escaped(what) + "</td><td><code>" + html_escaped(which) +
            "</code></td></tr>";
  }
  return html + "</tbody></table>\n";
}

std::string graph_section(const PageData& page) {
  const ModelSummary& s = *page.summary;
  HtmlTable table({"#", "operator", "in and out", "options and type of the output", "path", "MACs",
                   "parameters", "bytes out"},
                  {0, 5, 6, 7});
  for (const OpRow& row : s.ops) {
    const Graph& graph = page.model->main();
    table.add({std::to_string(row.index), two_lines(row.type, shortened(row.name, 40)),
               two_lines(shapes_text(page, row.inputs), shapes_text(page, row.outputs)),
               two_lines(attributes_text(graph, graph.ops[row.index]), output_quant(page, row)),
               html_escaped(row.path.value_or("")), number(row.macs.value_or(0)),
               number(row.parameters), number(row.out_bytes)});
  }
  return "<h2>The network</h2>\n<div class=\"facts\">" +
         fact(std::to_string(s.ops.size()), "operators") +
         fact(count_text(s.macs.value_or(0)), "multiply-accumulates") +
         fact(count_text(s.parameters), "parameters") +
         fact(size_text(s.constant_bytes), "constants") + "</div>\n" + "<div class=\"whole\">" +
         table.html() + "</div>\n";
}

namespace {

// What takes most room, as text: a picture says nothing to a screen reader.
std::string largest_tensors(const Graph& graph, const exec::MemoryPlan& plan, size_t steps) {
  constexpr size_t kMost = 8;
  std::vector<size_t> order;
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    const exec::Placement& p = plan.placements[i];
    if (p.kind == exec::Placement::Kind::arena && p.bytes > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return plan.placements[a].bytes > plan.placements[b].bytes;
  });
  const size_t all = order.size();
  if (order.size() > kMost) order.resize(kMost);
  HtmlTable table({"tensor", "bytes", "from byte", "steps"}, {1, 2});
  for (const size_t i : order) {
    const exec::Placement& p = plan.placements[i];
    table.add({name_cell(graph.values[i].name), count_text(p.bytes), count_text(p.offset),
               std::to_string(std::max(p.first_step, 0)) + " to " +
                   std::to_string(std::min(p.last_step, static_cast<int>(steps) - 1))});
  }
  return "<h3>Largest tensors, " + std::to_string(order.size()) + " of " + std::to_string(all) +
         "</h3>\n" + table.html();
}

}  // namespace

std::string memory_section(const PageData& page) {
  const exec::MemoryPlan& here = page.session->memory();
  const exec::MemoryPlan& m = page.summary->memory ? *page.summary->memory : here;
  std::string note =
      "<p class=\"method\">Each rectangle is a tensor: steps from left to right, offsets in the "
      "arena from bottom to top. Scratch memory of operators is not drawn.";
  if (here.arena_bytes != m.arena_bytes) {
    note += " The fast kernels of this computer take " + size_text(here.arena_bytes) +
            " with their scratch memory; this is the network's own plan.";
  }
  return "<h2>Memory</h2>\n<div class=\"facts\">" +
         fact(size_text(m.arena_bytes), "activations, planned") +
         fact(size_text(m.unplanned_bytes), "without sharing") +
         fact(size_text(m.peak_lower_bound), "no plan can be smaller") +
         fact(size_text(m.constant_bytes), "constants") + "</div>\n" +
         memory_chart(page.session->graph(), m, page.session->steps().size()) + note + "</p>\n" +
         largest_tensors(page.session->graph(), m, page.session->steps().size());
}

std::string time_section(const PageData& page) {
  const Timing& t = *page.timing;
  const auto us = duration_text;
  std::string html = "<h2>Time</h2>\n<div class=\"facts\">" + fact(us(t.total.median), "median") +
                     fact(us(t.total.min), "min") + fact(us(t.total.p90), "p90") +
                     fact(us(t.total.max), "max") + "</div>\n";
  html += "<p class=\"method\">Measured on this computer, not on a chip: " +
          std::to_string(t.runs.size()) + " runs after " + std::to_string(t.warm_up.size()) +
          " warm-up runs; operators are medians of " + std::to_string(t.profiled) +
          " further runs. " + html_escaped(page.machine.cpu) + ", " +
          std::to_string(page.session->options().threads) +
          (page.session->options().threads == 1 ? " thread" : " threads") + ", instruction set " +
          html_escaped(page.isa) + ".</p>\n";
  std::vector<Bar> types, steps;
  for (const TypeTime& type : times_by_type(*page.session, t)) {
    types.push_back({std::to_string(type.count) + " × " + type.type, us(type.microseconds), "",
                     type.microseconds});
  }
  for (size_t i = 0; i < page.session->steps().size(); ++i) {
    const exec::Step& step = page.session->steps()[i];
    if (step.folded) continue;
    steps.push_back({shortened(step.label, 56), us(t.steps[i].median),
                     step.label + "\n" + step.path + ", " + count_text(step.macs) + " MACs",
                     t.steps[i].median});
  }
  return html + "<h3>By operator type</h3>\n" + bar_chart(types) + "<h3>By operator</h3>\n" +
         bar_chart(steps);
}

namespace {

std::string made_by(const TraceItem& item) {
  if (item.op_index < 0) return item.op_type;
  return "#" + std::to_string(item.op_index) + " " + item.op_type;
}

// Compared tensors stand in the order of the page's, but not all of them are compared.
std::string made_by(const PageData& page, const std::string& name, size_t& next) {
  for (size_t i = next; i < page.tensors.size(); ++i) {
    const TraceItem& item = page.tensors[i].item;
    if (page.session->graph().value(item.value).name != name) continue;
    next = i + 1;
    return made_by(item);
  }
  return {};
}

}  // namespace

std::string numerics_section(const PageData& page) {
  HtmlTable table(
      {"made by", "tensor", "type", "shape", "min", "max", "mean", "saturated", "values"},
      {4, 5, 6, 7});
  const Graph& graph = page.session->graph();
  for (const TensorRow& row : page.tensors) {
    const Value& v = graph.value(row.item.value);
    const TensorStats& s = row.stats;
    table.add({html_escaped(made_by(row.item)), name_cell(v.name), std::string(name(v.dtype)),
               to_string(page.session->shape(row.item.value)), value_text(s.min), value_text(s.max),
               fixed_text(s.mean, 2),
               s.at_low < 0 ? "" : fixed_text(100.0 * saturated_share(s), 2) + " %",
               histogram_chart(s)});
  }
  return "<h2>Numerics</h2>\n<p class=\"method\">Arithmetic: " +
         html_escaped(page.session->options().numerics) +
         ". Saturated: elements at the lowest or highest value of the type. Histograms span the "
         "whole range of 8-bit types and min to max of others; heights are square roots of counts."
         "</p>\n" +
         table.html();
}

std::string comparison_section(const PageData& page) {
  if (!page.comparison) return {};
  const verify::SetDiff& diff = *page.comparison;
  HtmlTable table({"made by", "tensor", "elements", "equal", "largest difference",
                   "signal to noise", "first difference (expected and computed)"},
                  {2, 3, 4, 5});
  size_t next = 0;
  for (const verify::TensorDiff& d : diff.tensors) {
    const std::string first = d.different ? first_difference_text(d) : "";
    table.add({html_escaped(made_by(page, d.name, next)), name_cell(d.name), count_text(d.elements),
               count_text(d.elements - d.different), value_text(d.largest), ratio_text(d),
               html_escaped(d.problem.empty() ? first : d.problem)},
              d.equal() ? "" : "differs");
  }
  std::string html = "<h2>Comparison with the reference</h2>\n" + table.html();
  for (const std::string& missing : diff.only_in_a) {
    html += "<p class=\"method\">No tensor of the model belongs to the expected '" +
            html_escaped(missing) + "'.</p>\n";
  }
  if (diff.first && diff.tensors[*diff.first].problem.empty()) {
    const verify::TensorDiff& d = diff.tensors[*diff.first];
    html += "<h3>Differences in the first differing tensor, " + html_escaped(d.name) + "</h3>\n" +
            difference_chart(d) + "<p class=\"method\">Absolute difference" +
            (d.unit == 1.0 ? "" : " in steps of " + real_text(static_cast<float>(d.unit))) +
            "; lengths are logarithms of counts.</p>\n";
  }
  return html;
}

std::string findings_section(const PageData& page) {
  std::string html = "<h2>Findings</h2>\n";
  if (page.summary->findings.empty()) return html + "<p class=\"soft\">None.</p>\n";
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::string word(name(severity));
    for (const Finding& f : page.summary->findings) {
      if (f.severity != severity) continue;
      html += "<div class=\"finding " + word + "\"><b>" + word +
              (f.id.empty() ? "" : " " + html_escaped(f.id)) + "</b> " +
              html_escaped(line_text(f)) +
              (f.place.empty()
                   ? ""
                   : "<br><span class=\"soft\">" + html_escaped(to_text(f.place)) + "</span>") +
              (f.hint.empty() ? "" : "<br>" + html_escaped(f.hint)) + "</div>\n";
    }
  }
  return html;
}

}  // namespace edgetwin::report
