#include "cli/shared/option_set.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "cli/shared/value_checks.h"
#include "edgetwin/target.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kNoText = " ";  // in place of CLI11's own words for a type

constexpr size_t kHelpWidth = 56;  // after the column of names, 80 in all

// Of UTF-8.
size_t columns(const std::string& word) {
  return static_cast<size_t>(std::count_if(word.begin(), word.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Help as lines that fit beside the names.
std::string wrapped(const std::string& help) {
  std::istringstream lines(help);
  std::string out;
  size_t used = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool keep = line.starts_with("  ");
    std::string indent = keep ? "  " : "";
    if (keep && !out.empty()) used = kHelpWidth;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const size_t width = columns(word);
      const bool fits = used > 0 && used + 1 + width <= kHelpWidth;
      if (fits) out += " ";
      if (!fits && !out.empty()) out += "\n" + indent;
      used = fits ? used + 1 + width : indent.size() + width;
      out += word;
      if (keep) indent = "    ";  // of what follows in this line
    }
  }
  return out;
}

template <class T>
struct ValueOf {
  using Type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

// CLI11 would take 0x10 and 010 for 16 and 8, "nan" for a number within every range.
template <class T>
void check_number(CLI::Option* option) {
  if constexpr (std::is_integral_v<T>) {
    option->transform(without_leading_zeros);
    option->check(
        [](const std::string& word) { return refuse_not_whole(word, std::is_signed_v<T>); });
  } else {
    option->check(refuse_not_finite);
  }
}

}  // namespace

struct OptionSet::Declared {
  std::deque<OptionInfo> options;
  std::deque<OptionInfo> former;  // in no help
  std::vector<std::string>* unknown = nullptr;
  std::vector<Output*> outputs;
  bool force = false;
  std::vector<std::pair<const CLI::Option*, const OptionInfo*>> words;  // by position
  std::vector<const CLI::Option*> named;
  std::shared_ptr<GivenTarget> given = std::make_shared<GivenTarget>();
};

OptionSet::OptionSet(CLI::App& app, const std::vector<Verb>& table)
    : app_(&app), table_(&table), declared_(std::make_shared<Declared>()) {}

OptionSet OptionSet::in_group(const std::string& title) const {
  OptionSet other = *this;
  other.group_ = title;
  return other;
}

OptionHandle OptionSet::add(CLI::Option* option, OptionInfo info) const {
  option->description(wrapped(info.help));
  option->option_text(info.value.empty() || info.positional ? kNoText : info.value);
  if (!group_.empty()) option->group(group_);
  if (!info.positional && !info.value.empty()) {
    // Else `-o --json` would write a file of that name.
    option->check([app = app_](const std::string& word) {
      const bool is_option = word.size() > 1 && word[0] == '-' && app->get_option_no_throw(word);
      return is_option ? "'" + word + "' is an option, not its value; a file of this name is './" +
                             word + "'"
                       : refuse_empty(word);
    });
  }
  info.group = group_;
  declared_->options.push_back(std::move(info));
  OptionInfo& kept = declared_->options.back();
  if (kept.positional) {
    declared_->words.emplace_back(option, &kept);
  } else {
    declared_->named.push_back(option);
  }
  return {option, &kept};
}

OptionHandle OptionSet::positional(const std::string& name, std::string& value,
                                   const std::string& help) {
  OptionInfo info{name, name, help, "", ValueKind::file, {}, true};
  return add(app_->add_option(name, value, help), std::move(info));
}

OptionHandle OptionSet::positional(const std::string& name, std::vector<std::string>& values,
                                   const std::string& help) {
  OptionInfo info{name, name, help, "", ValueKind::file, {}, true};
  info.several = true;
  return add(app_->add_option(name, values, help), std::move(info));
}

OptionHandle OptionSet::text(const std::string& names, std::string& value, const std::string& word,
                             const std::string& help) {
  return add(app_->add_option(names, value, help), {names, word, help, "", ValueKind::text, {}});
}

OptionHandle OptionSet::file(const std::string& names, std::string& value,
                             const std::string& help) {
  return text(names, value, "FILE", help).not_empty().kind(ValueKind::file);
}

OptionHandle OptionSet::folder(const std::string& names, std::string& value,
                               const std::string& help) {
  return text(names, value, "DIR", help).not_empty().kind(ValueKind::folder);
}

OptionHandle OptionSet::file(const std::string& names, Output& value, const std::string& help) {
  return output(names, value, "FILE", help).kind(ValueKind::file);
}

OptionHandle OptionSet::folder(const std::string& names, Output& value, const std::string& help) {
  return output(names, value, "DIR", help).kind(ValueKind::folder);
}

OptionHandle OptionSet::output(const std::string& names, Output& value, const std::string& word,
                               const std::string& help) {
  declared_->outputs.push_back(&value);
  return text(names, value.path, word, help).not_empty();
}

OptionHandle OptionSet::formerly(const std::string& name, Output& value) {
  CLI::Option* option = app_->add_option(name, value.path)->group("")->check(refuse_empty);
  declared_->former.emplace_back();
  return {option, &declared_->former.back()};
}

OptionHandle OptionSet::target(std::string& value, const std::string& help) {
  const auto set = [&value, given = declared_->given](const std::string& word) {
    const Target* t = find_target(word);
    value = given->target = t != nullptr ? std::string(t->name) : word;
  };
  OptionInfo info{"--target", "CHIP", help, "", ValueKind::text, {}};
  for (const Target& t : all_targets()) info.choices.emplace_back(t.name);
  return add(app_->add_option_function<std::string>("--target", set, help), std::move(info))
      .not_empty();
}

OptionHandle OptionSet::force(const std::string& help) {
  return flag("--force", declared_->force, help);
}

OptionHandle OptionSet::repeated(const std::string& names, std::vector<std::string>& values,
                                 const std::string& word, const std::string& help) {
  OptionInfo info{names, word, help, "", ValueKind::text, {}};
  info.several = true;
  return add(app_->add_option(names, values, help)->allow_extra_args(false), std::move(info))
      .not_empty();
}

OptionHandle OptionSet::several(const std::string& names, std::vector<std::string>& values,
                                const std::string& word, const std::string& help) {
  OptionInfo info{names, word, help, "", ValueKind::text, {}};
  info.several = true;
  return add(app_->add_option(names, values, help), std::move(info));
}

OptionHandle OptionSet::list(const std::string& names, std::vector<std::string>& values,
                             const std::string& word, const std::string& help) {
  return add(app_->add_option(names, values, help)->delimiter(',')->allow_extra_args(false),
             {names, word, help, "", ValueKind::text, {}});
}

OptionHandle OptionSet::list(const std::string& names, std::vector<float>& values,
                             const std::string& word, const std::string& help) {
  return add(app_->add_option(names, values, help)->delimiter(',')->allow_extra_args(false),
             {names, word, help, "", ValueKind::text, {}})
      .check(refuse_not_finite);
}

template <class T>
OptionHandle OptionSet::number(const std::string& names, T& value, const std::string& word,
                               const std::string& help) {
  CLI::Option* option = app_->add_option(names, value, help);
  const OptionHandle handle = add(option, {names, word, help, "", ValueKind::text, {}});
  check_number<typename ValueOf<T>::Type>(option);
  return handle;
}

template OptionHandle OptionSet::number(const std::string&, int&, const std::string&,
                                        const std::string&);
template OptionHandle OptionSet::number(const std::string&, uint64_t&, const std::string&,
                                        const std::string&);
template OptionHandle OptionSet::number(const std::string&, double&, const std::string&,
                                        const std::string&);
template OptionHandle OptionSet::number(const std::string&, std::optional<int>&, const std::string&,
                                        const std::string&);
template OptionHandle OptionSet::number(const std::string&, std::optional<int64_t>&,
                                        const std::string&, const std::string&);
template OptionHandle OptionSet::number(const std::string&, std::optional<float>&,
                                        const std::string&, const std::string&);
template OptionHandle OptionSet::number(const std::string&, std::optional<double>&,
                                        const std::string&, const std::string&);

OptionHandle OptionSet::flag(const std::string& names, bool& value, const std::string& help) {
  // CLI11 takes --flag=WORD for a value of its own.
  return add(app_->add_flag(names, value, help)->disable_flag_override(),
             {names, "", help, "", ValueKind::none, {}});
}

OptionHandle OptionSet::setting(const std::string& names,
                                std::function<void(const std::string&)> set,
                                const std::string& word, const std::string& help) {
  return add(app_->add_option_function<std::string>(names, std::move(set), help),
             {names, word, help, "", ValueKind::text, {}});
}

void OptionSet::keep_unknown(std::vector<std::string>& words) {
  app_->allow_extras();
  app_->validate_positionals();
  declared_->unknown = &words;
}

const std::deque<OptionInfo>& OptionSet::options() const { return declared_->options; }

std::shared_ptr<const GivenTarget> OptionSet::given_target() const { return declared_->given; }

void OptionSet::finish() const {
  for (Output* output : declared_->outputs) {
    output->overwrite = declared_->force ? Overwrite::yes : Overwrite::no;
    if (!output->empty()) declared_->given->outputs.push_back(output->path);
  }
  if (declared_->unknown != nullptr) {
    *declared_->unknown = declared_->given->unknown = app_->remaining();
  }
  for (const auto& [option, info] : declared_->words) {
    if (option->count() == 0) continue;
    const std::vector<std::string> given = option->results();
    declared_->given->words.insert(declared_->given->words.end(), given.begin(), given.end());
    if (info->source) continue;
    declared_->given->files.insert(declared_->given->files.end(), given.begin(), given.end());
  }
  for (const CLI::Option* option : declared_->named) {
    declared_->given->known.push_back(option->get_name());
    if (option->count() > 0) declared_->given->options.push_back(option->get_name());
  }
}

}  // namespace edgetwin::cli
