#include "train/journal/history.h"

#include <charconv>
#include <cstdio>

#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr std::string_view kHeader =
    "epoch,phase,lr,train_loss,train_top1,val_loss,val_top1,val_top5,seconds,images_per_s";
constexpr std::string_view kPrecisionColumn = ",val_map";  // of detectors alone
constexpr size_t kColumns = 10;

std::string optional_text(const std::optional<double>& value) {
  if (!value) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", *value);
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t at = line.find(',');
    cells.push_back(line.substr(0, at));
    if (at == std::string_view::npos) return cells;
    line.remove_prefix(at + 1);
  }
}

bool number(std::string_view cell, double& value) {
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return end.ec == std::errc() && end.ptr == cell.data() + cell.size();
}

bool number(std::string_view cell, std::optional<double>& value) {
  if (cell.empty()) return true;
  return number(cell, value.emplace());
}

std::optional<EpochRow> row_of(std::string_view line) {
  const std::vector<std::string_view> cells = split(line);
  const bool detector = cells.size() == kColumns + 1;
  if ((cells.size() != kColumns && !detector) || (cells[1] != "qat" && cells[1] != "float"))
    return std::nullopt;
  EpochRow r;
  double epoch = 0;
  const bool all = number(cells[0], epoch) && number(cells[2], r.rate) &&
                   number(cells[3], r.train_loss) && number(cells[4], r.train_top1) &&
                   number(cells[5], r.validation_loss) && number(cells[6], r.validation_top1) &&
                   number(cells[7], r.validation_top5) && number(cells[8], r.seconds) &&
                   number(cells[9], r.items_per_second) &&
                   (!detector || number(cells[kColumns], r.validation_map));
  if (!all || !(epoch >= 0 && epoch < 1e9)) return std::nullopt;
  r.epoch = static_cast<int>(epoch);
  r.quantized = cells[1] == "qat";
  return r;
}

}  // namespace

std::string history_text(const std::vector<EpochRow>& rows) {
  const bool detector = !rows.empty() && rows[0].validation_map.has_value();
  std::string text(kHeader);
  text += detector ? std::string(kPrecisionColumn) + "\n" : "\n";
  for (const EpochRow& r : rows) {
    char start[128], end[96];
    std::snprintf(start, sizeof start, "%d,%s,%.9g,%.9g,", r.epoch, r.quantized ? "qat" : "float",
                  r.rate, r.train_loss);
    std::snprintf(end, sizeof end, "%.3f,%.1f", r.seconds, r.items_per_second);
    text += start + optional_text(r.train_top1) + "," + optional_text(r.validation_loss) + "," +
            optional_text(r.validation_top1) + "," + optional_text(r.validation_top5) + "," + end;
    text += detector ? "," + optional_text(r.validation_map) + "\n" : "\n";
  }
  return text;
}

Result<std::vector<EpochRow>> parse_history(std::string_view text, const std::string& file) {
  std::vector<EpochRow> rows;
  int line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++line == 1) continue;
    const auto row = row_of(one);
    if (!row) {
      Error e = broken(Rule::data_file, "the line is not an epoch of a run");
      e.place.file = file;
      e.place.line = line;
      return e;
    }
    rows.push_back(*row);
  }
  return rows;
}

std::string log_until(std::string_view log, int epoch) {
  size_t end = log.size();
  for (const std::string& next :
       {"\nEpoch: [" + std::to_string(epoch + 1) + "]", std::string("\nThe last "),
        std::string("\nStopped "), std::string("\n--- test ---")}) {
    const size_t at = log.find(next);
    if (at != std::string_view::npos) end = std::min(end, at + 1);
  }
  return std::string(log.substr(0, end));
}

}  // namespace edgetwin::train
