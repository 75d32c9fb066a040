#include "base/file.h"
#include "cli/features/arguments.h"
#include "cli/shared/exit_codes.h"
#include "decode/espdl/features/database.h"
#include "report/format.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using espdl_decode::Database;
using report::Json;

Result<Tensor> read_feature(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(Tensor feature, read_npy(data, file));
  feature.name = file;
  return feature;
}

Result<Database> open_database(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return espdl_decode::read_database(data, file);
}

}  // namespace

Result<int> execute(const EnrollArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  if (a.features.empty() && a.remove == 0) {
    return Error(ErrorCode::usage, "nothing is enrolled and nothing removed")
        .with_hint("Give FEATURE.npy, or --remove ID.");
  }
  Database database;
  if (!a.database.empty()) {
    EDGETWIN_TRY_ASSIGN(database, open_database(a.database));
  }
  if (a.remove != 0) {
    EDGETWIN_TRY(espdl_decode::remove(database, static_cast<uint16_t>(a.remove)));
  }
  Json ids = Json::array();
  for (const std::string& file : a.features) {
    EDGETWIN_TRY_ASSIGN(const Tensor feature, read_feature(file));
    EDGETWIN_TRY_ASSIGN(const uint16_t id, espdl_decode::enroll(database, feature));
    console.print("id " + std::to_string(id) + "  " + file + "\n");
    ids.push(static_cast<int>(id));
  }
  const Bytes bytes = espdl_decode::write_database(database);
  EDGETWIN_TRY(a.output.write(ByteSpan(bytes)));
  console.print(a.output.path + ": " + std::to_string(database.valid()) + " features of " +
                std::to_string(database.length) + " values\n");
  console.json().set("output", a.output.path).set("ids", std::move(ids));
  console.json().set("valid", database.valid()).set("enrolled", database.all.size());
  return kYes;
}

Result<int> execute(const MatchArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Database database, open_database(a.database));
  EDGETWIN_TRY_ASSIGN(const Tensor query, read_feature(a.feature));
  espdl_decode::Params params;
  params.top_k = a.top;
  if (a.threshold) params.threshold = static_cast<float>(*a.threshold);
  EDGETWIN_TRY_ASSIGN(const espdl_decode::Decoded found,
                      espdl_decode::match(database, query, params));
  for (const auto& m : *found.matches) {
    console.print("id " + std::to_string(m.id) + "  " + report::real_text(m.similarity) + "\n");
  }
  if (found.matches->empty()) console.print("no match\n");
  if (database.valid() < database.all.size()) {
    console.note("features were removed: as on the chip, ids are positions among those left");
  }
  console.json().set("matches", *espdl_decode::result_json(found).get("matches"));
  return found.matches->empty() ? kNo : kYes;
}

}  // namespace edgetwin::cli
