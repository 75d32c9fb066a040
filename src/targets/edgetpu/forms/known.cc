#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::forms {
namespace {

#include "packed_forms.inc"

constexpr uint16_t kCoarseRow = 65535, kFineRow = 65534;  // above all numbers of words

// forms.def again, from its words and their numbers (cmake/pack_forms.cmake).
class Unpacked {
 public:
  Unpacked() {
    std::string_view text(kWords, sizeof kWords - 1);
    for (size_t end = 0; !text.empty(); text.remove_prefix(end + 1)) {
      end = text.find('\n');
      words_.push_back(text.substr(0, end));
    }
    while (at_ != std::end(kCodes)) read_row();
  }
  std::vector<KnownForm> forms;

 private:
  std::vector<std::string_view> words_;
  std::deque<std::string> texts_;  // what `forms` points to
  std::string_view opcode_, coarse_;
  const uint16_t* at_ = kCodes;

  std::string_view read_form() {
    std::string& text = texts_.emplace_back();
    for (; at_ != std::end(kCodes) && *at_ < kFineRow; ++at_) {
      if (!text.empty()) text += ' ';
      text += words_[*at_];
    }
    return text;
  }
  void read_row() {
    if (*at_ == kCoarseRow) {
      opcode_ = words_[at_[1]];
      at_ += 2;
      coarse_ = read_form();
      return;
    }
    const uint32_t count = uint32_t{at_[1]} << 16 | at_[2], files = at_[3];
    at_ += 4;
    forms.push_back({opcode_, coarse_, read_form(), count, files});
  }
};

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
  static const Unpacked kAll;
  return kAll.forms;
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
