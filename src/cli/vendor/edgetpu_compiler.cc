// Source: specification "conventions", table of the tools; the vendor's page of its compiler.
#include "cli/vendor/edgetpu_compiler.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/vendor/arguments.h"
#include "edgetwin/compile.h"
#include "edgetwin/version.h"

namespace edgetwin::cli {
namespace {

using vendor::Argument;
using vendor::Takes;

struct Call {
  std::vector<std::string> models;
  std::string folder = ".";
  int min_runtime_version = 14, segments = 1;
  bool table = false, help = false, version = false;
  std::vector<std::string> notes;  // of options that change nothing
};

struct Name {
  char letter;
  const char* name;
  Takes takes;
  const char* help;
};
constexpr Name kNames[] = {
    {'h', "--help", Takes::nothing, "This text"},
    {'v', "--version", Takes::nothing, "The version of this program"},
    {'o', "--out_dir", Takes::value, "Folder of the files that are made (.)"},
    {'s', "--show_operations", Takes::nothing, "Table of operators with their status"},
    {'m', "--min_runtime_version", Takes::value, "Written into the file, 10 to 14 (14)"},
    {'a', "--enable_multiple_subgraphs", Takes::nothing, "Taken: always so here"},
    {'d', "--search_delegate", Takes::nothing, "Taken: always so here"},
    {'k', "--delegate_search_step", Takes::value, "Taken: every step is tried"},
    {'t', "--timeout_sec", Takes::value, "Taken: there is no time limit"},
    {'i', "--intermediate_tensors", Takes::value, "Refused"},
    {'n', "--num_segments", Takes::value, "Pipeline of so many chips, balanced by time (1)"},
};

Error wrong_use(const std::string& what) {
  return Error(ErrorCode::usage, what).with_hint("edgetpu_compiler --help lists the options.");
}

// The letter of an option under either name.
char letter_of(const std::string& name) {
  if (name.size() == 2) return name[1];
  for (const Name& n : kNames) {
    if (name == n.name) return n.letter;
  }
  return 0;
}

Result<int> number_of(const Argument& a) {
  const std::string& text = *a.value;
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < 0) {
    return wrong_use(a.name + " takes a number, not '" + text + "'");
  }
  return n;
}

Status take_number(Call& call, const Argument& a, char letter) {
  EDGETWIN_TRY_ASSIGN(const int n, number_of(a));
  if (letter == 'm') call.min_runtime_version = n;
  if (letter == 'n') call.segments = n;
  if (letter == 'k') call.notes.push_back(a.name + " changes nothing: every cut is tried");
  if (letter == 't') call.notes.push_back(a.name + " changes nothing: there is no time limit");
  return Ok{};
}

Status take(Call& call, const Argument& a) {
  if (a.name.empty()) {
    call.models.push_back(*a.value);
    return Ok{};
  }
  const char letter = letter_of(a.name);
  switch (letter) {
    case 'h':
      call.help = true;
      break;
    case 'v':
      call.version = true;
      break;
    case 's':
      call.table = true;
      break;
    case 'o':
      call.folder = *a.value;
      break;
    case 'a':
    case 'd':
      call.notes.push_back(a.name + " changes nothing: whatever can run on the chip does");
      break;
    case 'i':
      return wrong_use(a.name + ": results in between are not made outputs; cut the network");
    default:
      return take_number(call, a, letter);
  }
  return Ok{};
}

Result<Call> read_call(const std::vector<std::string>& words) {
  std::map<std::string, Takes> names;
  for (const Name& n : kNames) {
    names[n.name] = n.takes;
    names[std::string("-") + n.letter] = n.takes;
  }
  const auto all = vendor::parse({words.begin() + 1, words.end()}, names);
  if (!all.ok()) return wrong_use(all.error().message);
  Call call;
  for (const Argument& a : *all) EDGETWIN_TRY(take(call, a));
  if (call.help || call.version) return call;
  if (call.models.empty()) return wrong_use("no model was named");
  return call;
}

std::string help_text() {
  std::string text =
      "Usage: edgetpu_compiler [options] model...\n\n"
      "edgetwin under the name of the vendor's compiler for the Edge TPU: of each\n"
      "MODEL.tflite it makes MODEL_edgetpu.tflite and MODEL_edgetpu.log. More can be\n"
      "asked with `edgetwin compile --target edgetpu`.\n\n";
  for (const Name& n : kNames) {
    std::string line = std::string("  -") + n.letter + ", " + n.name;
    line.resize(36, ' ');
    text += line + n.help + "\n";
  }
  return text;
}

// A model and the files that are made of it.
struct Job {
  std::string model, name, output, log;
};

Result<std::vector<Job>> jobs_of(const Call& call) {
  std::vector<Job> jobs;
  std::set<std::string> outputs;
  const std::filesystem::path folder(call.folder);
  for (const std::string& model : call.models) {
    std::string name = std::filesystem::path(model).filename().string();
    if (name.ends_with(".tflite")) name.resize(name.size() - 7);
    name += "_edgetpu";
    const std::filesystem::path base =
        call.folder == "." ? std::filesystem::path(name) : folder / name;
    Job job{model, name, base.string() + ".tflite", base.string() + ".log"};
    if (!outputs.insert(job.output).second) {
      return wrong_use("two models would be written to " + job.output);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// As the vendor's program has it, with our reasons.
void show(const Job& job, const EdgetpuCompiled& c, size_t bytes, bool table, Console& console) {
  std::string text = "Input model: " + job.model + "\nInput size: ";
  text += edgetpu_amount(static_cast<int64_t>(bytes)) + "\nOutput model: " + job.output;
  text += "\nOutput size: " + edgetpu_amount(static_cast<int64_t>(c.file.size())) + "\n";
  console.print(text + edgetpu_summary(c) + "Operation log: " + job.log + "\n\n");
  if (table) {
    console.print(edgetpu_operations(c));
  } else {
    console.print("The log has the operators one by one; -s shows them here.\n");
  }
}

Result<int> write_one(const Job& job, const EdgetpuCompiled& c, const Call& call, size_t bytes,
                      int64_t milliseconds, Console& console) {
  if (c.groups.empty()) {
    console.print("\nCompilation failed: no operator can run on the chip.\n\n" +
                  edgetpu_operations(c));
    return kNo;
  }
  if (!c.proven) {
    return Error(ErrorCode::internal, "the programs that were made fail their proof")
        .in_file(job.model)
        .with_hint("Nothing was written. Please report it with the network.");
  }
  std::error_code failed;  // write_file says what is wrong with the folder
  std::filesystem::create_directories(call.folder, failed);
  EDGETWIN_TRY(write_file(job.output, ByteSpan(c.file), Overwrite::yes));
  EDGETWIN_TRY(write_file(job.log, std::string_view(c.log), Overwrite::yes));
  console.print("\nModel compiled successfully in " + std::to_string(milliseconds) + " ms.\n\n");
  show(job, c, bytes, call.table, console);
  return kYes;
}

Result<int> write_all(const std::vector<Job>& jobs, const std::vector<EdgetpuCompiled>& made,
                      const std::vector<MadeFile>& networks, const Call& call, int64_t milliseconds,
                      Console& console) {
  int code = kYes;
  for (size_t k = 0; k < jobs.size(); ++k) {
    EDGETWIN_TRY_ASSIGN(const int one, write_one(jobs[k], made[k], call, networks[k].bytes.size(),
                                                 milliseconds, console));
    code = std::max(code, one);
  }
  return code;
}

// Several models share the memory of parameters.
Result<int> compile_all(const std::vector<Job>& jobs, const Call& call, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<MadeFile> networks;
  for (const Job& job : jobs) {
    EDGETWIN_TRY_ASSIGN(Bytes data, read_file(job.model));
    networks.push_back({job.model, std::move(data)});
  }
  EdgetpuCompileOptions options;
  options.min_runtime_version = call.min_runtime_version;
  std::vector<EdgetpuCompiled> made;
  if (jobs.size() == 1) {
    EDGETWIN_TRY_ASSIGN(EdgetpuCompiled c,
                        compile_edgetpu(networks[0].bytes, networks[0].path, options));
    made.push_back(std::move(c));
  } else {
    EDGETWIN_TRY_ASSIGN(made, compile_edgetpu_together(networks, options));
  }
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  return write_all(jobs, made, networks, call, time.count(), console);
}

// Of each model its segments, each for a chip of its own.
Result<int> compile_segments(const std::vector<Job>& jobs, const Call& call, Console& console) {
  int code = kYes;
  EdgetpuCompileOptions options;
  options.min_runtime_version = call.min_runtime_version;
  for (const Job& job : jobs) {
    const auto begin = std::chrono::steady_clock::now();
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(job.model));
    EDGETWIN_TRY_ASSIGN(const std::vector<MadeFile> parts,
                        edgetpu_segments(data, job.model, call.segments));
    std::vector<Job> all;
    std::vector<EdgetpuCompiled> made;
    for (const MadeFile& part : parts) {
      const auto named = [&](std::string text) {
        return text.insert(text.rfind("_edgetpu"), part.path);
      };
      all.push_back({job.model, named(job.name), named(job.output), named(job.log)});
      EDGETWIN_TRY_ASSIGN(EdgetpuCompiled one,
                          compile_edgetpu(part.bytes, job.model + part.path, options));
      made.push_back(std::move(one));
    }
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    EDGETWIN_TRY_ASSIGN(const int one, write_all(all, made, parts, call, time.count(), console));
    code = std::max(code, one);
  }
  return code;
}

}  // namespace

bool is_edgetpu_compiler(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::string name = words[0].substr(words[0].find_last_of("/\\") + 1);
  return name == "edgetpu_compiler" || name == "edgetpu_compiler.exe";
}

Result<int> edgetpu_compiler(const std::vector<std::string>& words, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Call call, read_call(words));
  if (call.help) {
    console.print(help_text());
    return kYes;
  }
  console.print("Edge TPU Compiler version edgetwin-" + std::string(version()) + "\n");
  if (call.version) return kYes;
  EDGETWIN_TRY_ASSIGN(const std::vector<Job> jobs, jobs_of(call));
  for (const std::string& note : call.notes) console.note(note);
  EDGETWIN_TRY_ASSIGN(const int code, call.segments == 1 ? compile_all(jobs, call, console)
                                                         : compile_segments(jobs, call, console));
  console.note("no device has run these programs");
  return code;
}

}  // namespace edgetwin::cli
