#include "cli/manual/roff.h"

#include <algorithm>
#include <sstream>

#include "edgetwin/version.h"

namespace edgetwin::cli {
namespace {

// Text in which nothing is an instruction. A line of the help that begins with blanks stays a line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string paragraph(const std::string& help) {
  std::istringstream lines(help);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    if (begin > 0) out += ".br\n";
    out += roff(line.substr(begin)) + "\n";
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string heading(const std::string& title) {
  return ".TH " + upper(title) + " 1 \"\" \"edgetwin " + std::string(version()) + "\" edgetwin\n";
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

// "-o,--output" as "-o, --output DIR".
std::string option_heading(const OptionInfo& option) {
  if (option.positional) return italic(option.names);
  std::string text;
  std::istringstream names(option.names);
  for (std::string name; std::getline(names, name, ',');) {
    text += (text.empty() ? "" : ", ") + bold(name.front() == '!' ? name.substr(1) : name);
  }
  return option.value.empty() ? text : text + " " + italic(option.value);
}

std::string option_paragraph(const OptionInfo& option) {
  return ".TP\n" + option_heading(option) + "\n" + paragraph(option.help);
}

std::string synopsis(const VerbInfo& info) {
  std::string text = bold("edgetwin " + info.words);
  for (const OptionInfo& o : info.options) {
    if (o.positional || !o.required) continue;
    text += " " + option_heading(o);
  }
  text += " [" + italic("OPTION") + "]...";
  for (const OptionInfo& o : info.options) {
    if (!o.positional) continue;
    const std::string word = italic(o.names) + (o.several ? "..." : "");
    text += o.required ? " " + word : " [" + word + "]";
  }
  return text + "\n";
}

// Words by position first, then the options, group by group.
std::string options_text(const VerbInfo& info, const std::string& macro) {
  std::string out;
  std::vector<std::string> groups;
  for (const OptionInfo& o : info.options) {
    if (o.positional) out += option_paragraph(o);
    if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  }
  for (const std::string& group : groups) {
    if (!group.empty()) out += macro + " \"" + roff(group) + "\"\n";
    for (const OptionInfo& o : info.options) {
      if (!o.positional && o.group == group) out += option_paragraph(o);
    }
  }
  return out;
}

std::string example(const Verb& verb) { return ".nf\n" + roff(verb.example) + "\n.fi\n"; }

std::string exit_status() {
  return ".SH EXIT STATUS\n"
         "0 yes, 1 the answer is no, 2 wrong use, 3 unusable input, 4 environment, 70 our bug.\n";
}

}  // namespace

std::string program_page(const std::vector<Verb>& verbs) {
  std::string out = heading("edgetwin");
  out +=
      ".SH NAME\nedgetwin \\- computes neural networks for small accelerators bit for bit as the "
      "chip does\n";
  out += ".SH SYNOPSIS\n" + bold("edgetwin") + " " + italic("VERB") + " [" + italic("OPTION") +
         "]... [" + italic("ARGUMENT") + "]...\n";
  out += ".SH VERBS\n";
  std::string group;
  for (const Verb& verb : verbs) {
    if (verb.group != group) out += ".SS \"" + roff(verb.group) + "\"\n";
    group = verb.group;
    out += ".TP\n" + bold(verb.name) + "\n" + paragraph(verb.summary);
  }
  out += ".SH OPTIONS\n.TP\n" + bold("-h") + ", " + bold("--help") +
         "\nThe help of the program, or of a verb.\n.TP\n" + bold("-V") + ", " + bold("--version") +
         "\nVersion, build and formats.\n";
  out += exit_status() + ".SH EXAMPLES\n.nf\n" + roff("edgetwin info model.tflite") +
         "\n.fi\n.SH SEE ALSO\n";
  for (size_t i = 0; i < verbs.size(); ++i) {
    out +=
        ".BR " + roff("edgetwin-" + verbs[i].name) + " (1)" + (i + 1 < verbs.size() ? ",\n" : "\n");
  }
  return out;
}

std::string verb_page(const Verb& verb, const std::vector<VerbInfo>& all) {
  std::vector<const VerbInfo*> own;
  for (const VerbInfo& info : all) {
    if (info.words == verb.name || info.words.starts_with(verb.name + " ")) own.push_back(&info);
  }
  std::string out = heading("edgetwin-" + verb.name);
  out += ".SH NAME\n" + roff("edgetwin-" + verb.name) + " \\- " + roff(verb.summary) + "\n";
  out += ".SH SYNOPSIS\n";
  for (size_t i = 0; i < own.size(); ++i) out += (i == 0 ? "" : ".br\n") + synopsis(*own[i]);
  if (!verb.notes.empty()) out += ".SH DESCRIPTION\n" + paragraph(verb.notes);
  if (verb.verbs.empty()) {
    for (const VerbInfo* info : own) out += ".SH OPTIONS\n" + options_text(*info, ".SS");
  } else {
    for (const VerbInfo* info : own) {
      out += ".SH " + upper(roff(info->words)) + "\n" + paragraph(info->verb->summary + ".") +
             options_text(*info, ".SS") + ".PP\nExample:\n.PP\n" + example(*info->verb);
    }
  }
  out += exit_status() + ".SH EXAMPLES\n" + example(verb);
  return out + ".SH SEE ALSO\n.BR edgetwin (1)\n";
}

}  // namespace edgetwin::cli
