#include "decode/espdl/features/database.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decode/espdl/features/features.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr size_t kHeader = 3 * sizeof(uint16_t);
constexpr uint16_t kLastId = 0xFFFF;

Error not_a_feature(const Tensor& t, uint16_t length) {
  return Error(ErrorCode::decode_maps,
               "the feature '" + t.name + "' is " + to_string(t.shape) + " " +
                   std::string(name(t.dtype)) +
                   (length > 0 ? ", the database has features of " + std::to_string(length) : ""))
      .with_hint("Give feature.npy of the model whose features the database has; float32.");
}

Status check_feature(const Tensor& t, uint16_t length) {
  const int64_t values = t.shape.elements();
  if (t.dtype != DType::float32 || values < 1 || values > kLastId ||
      (length > 0 && values != length)) {
    return not_a_feature(t, length);
  }
  const auto all = t.as<float>();
  if (std::ranges::all_of(all, [](float v) { return std::isfinite(v); })) return Ok{};
  return Error(ErrorCode::bad_value, "the feature '" + t.name + "' has a value that is not finite");
}

Tensor tensor_of(const std::string& name, const std::vector<float>& values) {
  Tensor t;
  t.name = name;
  t.dtype = DType::float32;
  t.shape = {static_cast<int64_t>(values.size())};
  t.data.resize(values.size() * sizeof(float));
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

}  // namespace

size_t Database::valid() const {
  return static_cast<size_t>(
      std::ranges::count_if(all, [](const Enrolled& e) { return e.id != 0; }));
}

Result<Database> read_database(ByteSpan data, const std::string& file) {
  ByteReader reader(data, file);
  EDGETWIN_TRY_ASSIGN(const auto enrolled, reader.read<uint16_t>("number enrolled"));
  EDGETWIN_TRY_ASSIGN(const auto valid, reader.read<uint16_t>("number valid"));
  EDGETWIN_TRY_ASSIGN(const auto length, reader.read<uint16_t>("length of a feature"));
  const size_t each = sizeof(uint16_t) + length * sizeof(float);
  const auto fail = [&](const std::string& what) {
    return Error(ErrorCode::bad_value, what)
        .in_file(file)
        .with_hint("Give a file that `enroll` or the chip's recognizer wrote.");
  };
  if (length == 0 || data.size() != kHeader + enrolled * each) {
    return fail(std::to_string(enrolled) + " features of " + std::to_string(length) +
                " values need " + std::to_string(kHeader + enrolled * each) +
                " bytes, the file has " + std::to_string(data.size()));
  }
  Database database;
  database.length = length;
  for (uint16_t i = 0; i < enrolled; ++i) {
    Enrolled one;
    EDGETWIN_TRY_ASSIGN(one.id, reader.read<uint16_t>("id"));
    one.feature.resize(length);
    EDGETWIN_TRY_ASSIGN(const ByteSpan values, reader.take(length * sizeof(float), "feature"));
    std::memcpy(one.feature.data(), values.data(), values.size());
    if (one.id != 0 && one.id != i + 1) {
      return fail("feature " + std::to_string(i + 1) + " has the id " + std::to_string(one.id));
    }
    database.all.push_back(std::move(one));
  }
  if (database.valid() != valid) {
    return fail(std::to_string(database.valid()) + " features are valid, the header says " +
                std::to_string(valid));
  }
  return database;
}

Bytes write_database(const Database& database) {
  Bytes data;
  const auto add = [&data](const void* from, size_t bytes) {
    const size_t at = data.size();
    data.resize(at + bytes);
    std::memcpy(data.data() + at, from, bytes);
  };
  const uint16_t header[] = {static_cast<uint16_t>(database.all.size()),
                             static_cast<uint16_t>(database.valid()), database.length};
  add(header, sizeof header);
  for (const Enrolled& e : database.all) {
    add(&e.id, sizeof e.id);
    add(e.feature.data(), e.feature.size() * sizeof(float));
  }
  return data;
}

Result<uint16_t> enroll(Database& database, const Tensor& feature) {
  EDGETWIN_TRY(check_feature(feature, database.length));
  if (database.all.size() >= kLastId) {
    return Error(ErrorCode::bad_value, "the database has 65535 features: no id is left");
  }
  const auto values = feature.as<float>();
  database.length = static_cast<uint16_t>(values.size());
  const auto id = static_cast<uint16_t>(database.all.size() + 1);
  database.all.push_back({id, {values.begin(), values.end()}});
  return id;
}

Status remove(Database& database, uint16_t id) {
  for (Enrolled& e : database.all) {
    if (id == 0 || e.id != id) continue;
    e.id = 0;
    return Ok{};
  }
  return Error(ErrorCode::bad_value, "the database has no feature " + std::to_string(id))
      .with_hint("Ids of removed features are not given again.");
}

Result<Decoded> match(const Database& database, const Tensor& query, const Params& params) {
  EDGETWIN_TRY(check_feature(query, database.length));
  std::vector<Tensor> left;
  for (const Enrolled& e : database.all) {
    if (e.id != 0) left.push_back(tensor_of("id " + std::to_string(e.id), e.feature));
  }
  return match_features(query, left, params);
}

}  // namespace edgetwin::espdl_decode
