// `extract`: the programs and parameters of a compiled model as files.
#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/isa/listing.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// Files of one folder, and the list of them.
class Extraction {
 public:
  explicit Extraction(AtomicFolder& folder) : folder_(folder) {}

  Status add(const std::string& file, ByteSpan data, const std::string& what) {
    EDGETWIN_TRY(folder_.write(file, data));
    table_.add({file, std::to_string(data.size()), what});
    Json j = Json::object();
    list_.push(j.set("file", file).set("bytes", data.size()).set("what", what));
    return Ok{};
  }
  std::string text() const { return table_.text(); }
  Json json() { return std::move(list_); }

 private:
  AtomicFolder& folder_;
  report::TextTable table_{{{"file"}, {"bytes", report::TextTable::Align::right}, {"what"}}};
  Json list_ = Json::array();
};

std::string executable_id(const darwinn::BitstreamId& id) {
  return std::to_string(id.op) + "." + std::to_string(id.package) + "." +
         std::to_string(id.executable);
}

}  // namespace

Result<int> execute(const ExtractArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.file));
  const std::vector<darwinn::BitstreamId> all = darwinn::all_bitstreams(file);
  if (all.empty()) {
    return Error(ErrorCode::edgetpu_no_program, "the model has no operator edgetpu-custom-op")
        .in_file(a.file);
  }
  Extraction extraction(folder);
  for (const darwinn::BitstreamId& id : all) {
    const darwinn::Executable& e = *darwinn::executable_of(file, id);
    const std::string type(darwinn::name(e.type));
    EDGETWIN_TRY(
        extraction.add("program_" + edgetpu::to_text(id) + ".bin", darwinn::find(file, id)->data,
                       "instructions, " + type + ", chunk " + std::to_string(id.chunk + 1) +
                           " of " + std::to_string(e.bitstreams.size())));
    if (id.chunk != 0) continue;
    if (!e.parameters.empty()) {
      EDGETWIN_TRY(extraction.add("parameters_" + executable_id(id) + ".bin", e.parameters,
                                  "parameters, " + type));
    }
    if (file.container == darwinn::Container::bitstream || e.place.size == 0) continue;
    EDGETWIN_TRY(extraction.add("executable_" + executable_id(id) + ".bin",
                                ByteSpan(data).subspan(e.place.offset, e.place.size),
                                "the whole executable, " + type));
  }
  EDGETWIN_TRY(folder.commit());
  console.print(extraction.text());
  console.json().set("files", extraction.json()).set("output", a.output.path);
  return kYes;
}

}  // namespace edgetwin::cli
