#include "report/model/diff_report.h"

#include <algorithm>

#include "report/format.h"

namespace edgetwin::report {
namespace {

using verify::SetDiff;
using verify::TensorDiff;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string first_text(const TensorDiff& d) {
  if (!d.problem.empty()) return quoted(d.name) + ": " + d.problem;
  return quoted(d.name) + " at " + first_difference_text(d);
}

std::string table_text(const SetDiff& diff) {
  TextTable table({{"tensor"},
                   {"elements", TextTable::Align::right},
                   {"different", TextTable::Align::right},
                   {"largest", TextTable::Align::right},
                   {"signal/noise", TextTable::Align::right},
                   {"first difference"}});
  for (const TensorDiff& d : diff.tensors) {
    if (d.equal()) continue;
    const bool shown = d.problem.empty() && d.different > 0;
    table.add({shortened(d.name, 50), count_text(d.elements), count_text(d.different),
               value_text(d.largest), ratio_text(d), shown ? first_difference_text(d) : d.problem});
  }
  return table.empty() ? "" : table.text();
}

// Of the first differing tensor.
std::string histogram_text(const TensorDiff& d) {
  constexpr double kBarWidth = 40.0;
  int64_t most = 0;
  for (const int64_t n : d.histogram) most = std::max(most, n);
  if (most == 0) return {};
  std::string text = "\n  differences in " + quoted(d.name);
  if (d.unit != 1.0) text += ", in steps of " + real_text(static_cast<float>(d.unit));
  TextTable table(
      {{"difference", TextTable::Align::right}, {"elements", TextTable::Align::right}, {""}});
  for (size_t i = 0; i < d.histogram.size(); ++i) {
    const int64_t n = d.histogram[i];
    auto length =
        static_cast<size_t>(kBarWidth * static_cast<double>(n) / static_cast<double>(most));
    if (n > 0) length = std::max<size_t>(length, 1);
    table.add({verify::kBucketNames[i], count_text(n), std::string(length, '#')});
  }
  return text + "\n" + table.text();
}

std::string only_text(const char* side, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& n : names)
    text += std::string("  only in ") + side + "  " + quoted(n) + "\n";
  return text;
}

}  // namespace

std::string first_difference_text(const TensorDiff& d) {
  std::string a = exact_text(d.first_a);
  std::string b = exact_text(d.first_b);
  if (a == b && !d.first_bits_a.empty()) {  // another NaN, or an integer that a double rounds
    a += " (" + d.first_bits_a + ")";
    b += " (" + d.first_bits_b + ")";
  }
  return d.first_position + ": " + a + " and " + b;
}

std::string ratio_text(const TensorDiff& d) {
  if (!d.problem.empty()) return "-";
  return d.largest == 0.0 && d.different == 0 ? "equal"
                                              : fixed_text(d.signal_to_noise_db, 1) + " dB";
}

std::string verdict(const SetDiff& diff, const std::string& noun) {
  const size_t count = diff.tensors.size();
  const std::string all = std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  double largest = 0.0;
  bool same_bits = true;
  for (const TensorDiff& d : diff.tensors) {
    largest = std::max(largest, d.largest);
    same_bits = same_bits && d.same_bits;
  }
  if (diff.equal() && same_bits) return "equal: " + all;
  if (diff.equal()) {
    return "equal within the tolerance: " + all + ", largest difference " + value_text(largest);
  }
  const auto different = std::count_if(diff.tensors.begin(), diff.tensors.end(),
                                       [](const TensorDiff& d) { return !d.equal(); });
  std::string text = "different: ";
  text += diff.first ? std::to_string(different) + " of " + all : all + " equal";
  if (diff.first) text += ", first " + first_text(diff.tensors[*diff.first]);
  const size_t missing = diff.only_in_a.size() + diff.only_in_b.size();
  if (missing > 0) text += ", " + std::to_string(missing) + " without partner";
  return text;
}

std::string diff_text(const SetDiff& diff, const std::string& noun) {
  std::string text;
  if (!diff.equal()) {
    text = table_text(diff) + only_text("A", diff.only_in_a) + only_text("B", diff.only_in_b);
    if (diff.first && diff.tensors[*diff.first].problem.empty()) {
      text += histogram_text(diff.tensors[*diff.first]);
    }
  }
  return text + verdict(diff, noun) + "\n";
}

Json to_json(const TensorDiff& d) {
  Json j = Json::object();
  j.set("name", d.name).set("equal", d.equal());
  if (!d.problem.empty()) return j.set("problem", d.problem);
  j.set("elements", d.elements).set("different", d.different);
  if (d.different > 0) {
    j.set("first_index", d.first_index).set("first_position", d.first_position);
    j.set("first_a", d.first_a).set("first_b", d.first_b);
    if (!d.first_bits_a.empty()) {
      j.set("first_bits_a", d.first_bits_a).set("first_bits_b", d.first_bits_b);
    }
  }
  j.set("largest", d.largest).set("signal_to_noise_db", d.signal_to_noise_db);
  j.set("histogram_unit", d.unit).set("histogram", Json::list(d.histogram));
  return j;
}

Json diff_json(const SetDiff& diff) {
  Json tensors = Json::array();
  for (const TensorDiff& d : diff.tensors) tensors.push(to_json(d));
  Json j = Json::object();
  j.set("equal", diff.equal());
  j.set("first", diff.first ? Json(diff.tensors[*diff.first].name) : Json());
  j.set("only_in_a", Json::list(diff.only_in_a)).set("only_in_b", Json::list(diff.only_in_b));
  return j.set("tensors", std::move(tensors));
}

}  // namespace edgetwin::report
