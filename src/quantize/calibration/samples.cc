#include "quantize/calibration/samples.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "tensor/shape_advice.h"

namespace edgetwin::quantize {
namespace {

namespace fs = std::filesystem;

bool starts_with(ByteSpan data, std::string_view magic) {
  return as_text(data).substr(0, magic.size()) == magic;
}

Error unusable(const std::string& file, const std::string& what) {
  return Error(ErrorCode::quant_calibration, what).in_file(file);
}

// All samples of one input.
class Reader {
 public:
  Reader(const Value& input, const PictureOptions& options, size_t limit)
      : input_(input), options_(options), limit_(limit) {}

  Status path(const std::string& name) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored)) return file(name, true);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(name, ignored)) {
      if (entry.is_regular_file(ignored)) names.push_back(entry.path().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& n : names) {
      if (samples_.size() >= limit_) break;
      EDGETWIN_TRY(file(n, false));
    }
    if (!samples_.empty()) return Ok{};
    return unusable(name, "the folder holds no picture and no .npy file");
  }

  Status array(const Tensor& t, const std::string& file) {
    const Shape& want = input_.shape;
    const int extra = t.shape.rank() - want.rank();
    // One sample, perhaps without the axis of the batch.
    if (t.shape.elements() == want.elements() && t.shape.elements() > 0 && fits(t.shape, want)) {
      return row(t, 0, file);
    }
    Shape each = want;
    if (extra == 0 && want.rank() > 0) each[0] = 1;
    const bool rows =
        (extra == 0 || extra == 1) && t.shape.rank() > 0 &&
        (extra == 1 ? tail(t.shape) == want : tail(t.shape) == tail(want) && want[0] == 1);
    if (!rows) {
      Error error = unusable(file, "an array of " + to_string(t.shape) + " for the input '" +
                                       input_.name + "' of " + to_string(want));
      // Any number of rows is taken here: only their order of axes can be wrong.
      Shape row = t.shape;
      if (extra == 0 && row.rank() > 0 && want.rank() > 0) row[0] = want[0];
      error.hint = shape_advice(extra == 1 ? tail(row) : row, want);
      return error;
    }
    for (int64_t k = 0; k < t.shape[0] && samples_.size() < limit_; ++k)
      EDGETWIN_TRY(row(t, k, file));
    return Ok{};
  }

  std::vector<Tensor> take() { return std::move(samples_); }
  bool saw_pictures() const { return pictures_; }

 private:
  static Shape tail(const Shape& s) { return Shape(s.dims().subspan(1)); }
  static bool fits(const Shape& s, const Shape& want) {
    return s == want || (want.rank() == s.rank() + 1 && want[0] == 1 && tail(want) == s);
  }

  Status row(const Tensor& all, int64_t k, const std::string& file) {
    EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(input_.dtype, input_.shape));
    t.name = input_.name;
    const auto count = static_cast<size_t>(input_.shape.elements());
    const size_t from = static_cast<size_t>(k) * count;
    if (all.dtype == input_.dtype) {
      const size_t size = byte_size(all.dtype);
      std::copy_n(all.data.begin() + static_cast<std::ptrdiff_t>(from * size), count * size,
                  t.data.begin());
    } else if (input_.dtype == DType::float32 && all.dtype == DType::float64) {
      const auto values = all.as<double>().subspan(from, count);
      std::transform(values.begin(), values.end(), t.as<float>().begin(),
                     [](double x) { return static_cast<float>(x); });
    } else {
      return unusable(file, "an array of " + std::string(name(all.dtype)) + " for the input '" +
                                input_.name + "' of " + std::string(name(input_.dtype)));
    }
    samples_.push_back(std::move(t));
    return Ok{};
  }

  // In folders other files are passed over.
  Status file(const std::string& name, bool named) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(name));
    if (starts_with(data, "\x93NUMPY")) {
      EDGETWIN_TRY_ASSIGN(const Tensor t, read_npy(data, name));
      return array(t, name);
    }
    if (looks_like_image(data)) {
      EDGETWIN_TRY_ASSIGN(const Tensor picture, decode_image(data, name));
      pictures_ = true;
      Result<Tensor> t = picture_sample(picture, input_, options_);
      if (!t.ok()) return std::move(t).error().in_file(name);
      t->name = input_.name;
      samples_.push_back(std::move(*t));
      return Ok{};
    }
    if (!named) return Ok{};
    return unusable(name, "neither a picture nor an .npy, .npz or folder");
  }

  const Value& input_;
  const PictureOptions& options_;
  size_t limit_;
  bool pictures_ = false;
  std::vector<Tensor> samples_;
};

using Columns = std::vector<std::vector<Tensor>>;  // by input

Status take_archive(const std::string& path, ByteSpan data, const Graph& graph,
                    const PictureOptions& options, size_t limit, Columns& columns) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, read_npz(data, path));
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const Tensor& t) { return t.name == input.name; });
    if (found == arrays.end() && arrays.size() != graph.inputs.size()) {
      return unusable(path, "the archive has no array '" + input.name + "'");
    }
    Reader reader(input, options, limit);
    EDGETWIN_TRY(reader.array(found != arrays.end() ? *found : arrays[i], path));
    columns[i] = reader.take();
  }
  return Ok{};
}

// Which path is for which input.
Result<std::vector<std::string>> assigned(std::span<const std::string> paths, const Graph& graph) {
  std::vector<std::string> result(graph.inputs.size());
  size_t next = 0;
  for (const std::string& word : paths) {
    size_t at = result.size();
    std::string path = word;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::string prefix = graph.value(graph.inputs[i]).name + "=";
      if (!word.starts_with(prefix)) continue;
      at = i;
      path = word.substr(prefix.size());
    }
    if (at == result.size()) {
      while (next < result.size() && !result[next].empty()) ++next;
      at = next;
    }
    if (at >= result.size()) {
      return Error(ErrorCode::quant_calibration, std::to_string(paths.size()) +
                                                     " calibration sets for " +
                                                     std::to_string(result.size()) + " inputs");
    }
    result[at] = path;
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].empty()) {
      return Error(ErrorCode::quant_calibration,
                   "no calibration data for the input '" + graph.value(graph.inputs[i]).name + "'");
    }
  }
  return result;
}

// Options that nothing takes would let their user believe that they did something.
Status refuse_picture_options(const PictureOptions& o) {
  const bool resizes = o.resize != PictureOptions().resize;
  if (o.mean.empty() && o.std.empty() && !resizes && !o.pipeline) return Ok{};
  const std::string given = o.pipeline ? "--params changes"
                            : resizes  ? "--resize changes"
                                       : "--mean and --std change";
  return Error(ErrorCode::usage, given + " nothing: the calibration data are arrays, not pictures")
      .with_hint("Leave it out, or give the arrays as the network takes them.");
}

}  // namespace

Result<std::vector<Sample>> load_samples(std::span<const std::string> paths, const Graph& graph,
                                         const PictureOptions& options, size_t limit) {
  Columns columns(graph.inputs.size());
  std::error_code ignored;
  bool archive = false, pictures = false;
  if (paths.size() == 1 && fs::is_regular_file(paths[0], ignored)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(paths[0]));
    archive = starts_with(data, "PK");
    if (archive) EDGETWIN_TRY(take_archive(paths[0], data, graph, options, limit, columns));
  }
  if (!archive) {
    EDGETWIN_TRY_ASSIGN(const auto names, assigned(paths, graph));
    for (size_t i = 0; i < names.size(); ++i) {
      Reader reader(graph.value(graph.inputs[i]), options, limit);
      EDGETWIN_TRY(reader.path(names[i]));
      columns[i] = reader.take();
      pictures = pictures || reader.saw_pictures();
    }
  }
  if (!pictures) EDGETWIN_TRY(refuse_picture_options(options));
  for (const auto& column : columns) {
    if (column.size() == columns[0].size()) continue;
    return Error(ErrorCode::quant_calibration, "the inputs have different numbers of samples: " +
                                                   std::to_string(columns[0].size()) + " and " +
                                                   std::to_string(column.size()));
  }
  std::vector<Sample> samples(columns.empty() ? 0 : columns[0].size());
  for (auto& column : columns) {
    for (size_t k = 0; k < samples.size(); ++k) samples[k].push_back(std::move(column[k]));
  }
  return samples;
}

}  // namespace edgetwin::quantize
