#include <algorithm>
#include <map>
#include <set>

#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::forms {
namespace {

struct Row {
  bool coarse;
  const char *opcode, *form;  // thousands of texts: their lengths are counted when they are read
  uint32_t count, files;
};
constexpr Row kRows[] = {
#define COARSE(opcode, form) {true, opcode, form, 0, 0},
#define FINE(form, count, files) {false, "", form, count, files},
#include "targets/edgetpu/forms/forms.def"
#undef COARSE
#undef FINE
};

std::vector<KnownForm> read_rows() {
  std::vector<KnownForm> all;
  std::string_view opcode;
  std::string_view coarse;
  for (const Row& row : kRows) {
    if (row.coarse) {
      opcode = row.opcode;
      coarse = row.form;
    } else {
      all.push_back({opcode, coarse, row.form, row.count, row.files});
    }
  }
  return all;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    words.push_back(text.substr(0, space));
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return words;
}

// Words that are not the same, by place.
size_t distance(const std::vector<std::string_view>& a, std::string_view text) {
  const std::vector<std::string_view> b = words_of(text);
  size_t n = std::max(a.size(), b.size());
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) n -= a[k] == b[k] ? 1 : 0;
  return n;
}

// All forms by opcode.
const std::multimap<std::string_view, const KnownForm*>& by_opcode() {
  static const std::multimap<std::string_view, const KnownForm*> kAll = [] {
    std::multimap<std::string_view, const KnownForm*> all;
    for (const KnownForm& f : all_forms()) all.emplace(f.opcode, &f);
    return all;
  }();
  return kAll;
}

}  // namespace

const std::vector<KnownForm>& all_forms() {
  static const std::vector<KnownForm> kAll = read_rows();
  return kAll;
}

bool is_known_coarse(const Instruction& i) {
  using Known = std::set<std::pair<std::string_view, std::string_view>>;
  static const Known kAll = [] {
    Known all;
    for (const KnownForm& f : all_forms()) all.emplace(f.opcode, f.coarse);
    return all;
  }();
  return kAll.contains({i.info->name, coarse_form_of(i)});
}

Compared compare(const Instruction& i) {
  Compared c;
  c.form = form_of(i);
  c.standing = Standing::new_coarse;
  const auto [first, end] = by_opcode().equal_range(i.info->name);
  for (auto f = first; f != end; ++f) {
    const KnownForm& known = *f->second;
    if (known.coarse != c.form.coarse) continue;
    if (c.standing == Standing::new_coarse) c.standing = Standing::new_fine;
    if (known.fine != c.form.fine) continue;
    c.standing = Standing::known;
    c.nearest = &known;
    return c;
  }
  const std::vector<std::string_view> fine = words_of(c.form.fine);
  size_t best = ~size_t{0};
  for (auto f = first; f != end; ++f) {
    const KnownForm& known = *f->second;
    const bool same_coarse = known.coarse == c.form.coarse;
    if (c.standing == Standing::new_fine && !same_coarse) continue;
    const size_t n = distance(fine, known.fine);
    if (n > best || (n == best && known.count <= c.nearest->count)) continue;
    best = n;
    c.nearest = &known;
  }
  return c;
}

}  // namespace edgetwin::edgetpu::forms
