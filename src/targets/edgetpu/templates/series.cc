#include "targets/edgetpu/templates/series.h"

#include <algorithm>

#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

struct SeriesRow {
  std::string_view kind, argument, other, sizes;
};
struct SecondRow {
  std::string_view kind, argument, other;
};

constexpr SeriesRow kSeries[] = {
#define SERIES(kind, argument, other, sizes) {#kind, #argument, #other, sizes},
#define SECOND(kind, argument, other)
#include "targets/edgetpu/templates/series.def"
};
constexpr SecondRow kSeconds[] = {
#define SERIES(kind, argument, other, sizes)
#define SECOND(kind, argument, other) {#kind, #argument, #other},
#include "targets/edgetpu/templates/series.def"
};

const SeriesRow* series_of(std::string_view kind) {
  const auto row = std::ranges::find(kSeries, kind, &SeriesRow::kind);
  return row == std::end(kSeries) ? nullptr : &*row;
}

const SecondRow* second_of(std::string_view kind) {
  const auto row = std::ranges::find(kSeconds, kind, &SecondRow::kind);
  return row == std::end(kSeconds) ? nullptr : &*row;
}

void put(ArgumentWords& words, std::string_view argument, std::string_view other,
         const std::string& value) {
  words.emplace_back(argument, value);
  if (!other.empty()) words.emplace_back(other, value);
}

}  // namespace

bool has_sizes(std::string_view kind) { return series_of(kind) != nullptr; }

std::vector<std::string> standard_sizes(std::string_view kind) {
  std::vector<std::string> sizes;
  const SeriesRow* row = series_of(kind);
  if (row == nullptr) return sizes;
  for (size_t at = 0; at < row->sizes.size();) {
    const size_t end = std::min(row->sizes.find(' ', at), row->sizes.size());
    sizes.emplace_back(row->sizes.substr(at, end - at));
    at = end + 1;
  }
  return sizes;
}

Result<std::vector<SeriesMember>> series(std::string_view kind,
                                         const std::vector<std::string>& sizes) {
  const SeriesRow* row = series_of(kind);
  if (row == nullptr) {
    return refused("the template " + std::string(kind) + " has no size", "sizes");
  }
  const SecondRow* second = second_of(kind);
  std::vector<SeriesMember> members;
  for (const std::string& size : sizes) {
    const size_t slash = size.find('/');
    if ((slash == std::string::npos) != (second == nullptr)) {
      return refused("'" + size + "' is not " +
                         (second == nullptr ? "one size" : "two sizes, picture/pattern"),
                     "sizes");
    }
    SeriesMember member;
    member.label = size;
    std::ranges::replace(member.label, '/', '_');
    put(member.words, row->argument, row->other, size.substr(0, slash));
    if (second != nullptr) {
      put(member.words, second->argument, second->other, size.substr(slash + 1));
    }
    const auto same = [&member](const SeriesMember& m) { return m.label == member.label; };
    if (std::ranges::any_of(members, same))
      return refused("'" + size + "' is there twice", "sizes");
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace edgetwin::edgetpu::templates
