// Sets of one file with the bytes of all pictures: IDX and CIFAR.
#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/sha256.h"
#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

uint32_t big(ByteSpan data, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(data[i]); };
  return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
}

struct Idx {
  std::vector<int64_t> sizes;
  size_t header = 0;
};

// 00 00 08 and the number of dimensions, sizes big-endian, bytes.
Result<Idx> idx_header(ByteSpan data, const std::string& file) {
  const auto fail = [&](size_t at, std::string text) {
    return broken(Rule::set_damaged, std::move(text)).in_file(file).at_offset(at);
  };
  if (data.size() < 8 || !looks_like_idx(data)) return fail(0, "the header is not 00 00 08 NN");
  Idx idx;
  const auto dimensions = static_cast<size_t>(data[3]);
  idx.header = 4 + 4 * dimensions;
  if (dimensions < 1 || dimensions > 4 || data.size() < idx.header) {
    return fail(3, "the number of dimensions is " + std::to_string(dimensions));
  }
  uint64_t bytes = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    idx.sizes.push_back(big(data, 4 + 4 * d));
    bytes *= static_cast<uint64_t>(idx.sizes.back());
    if (bytes > kMaxFileBytes) return fail(4 + 4 * d, "the sizes are beyond the limit");
  }
  if (data.size() - idx.header != bytes) {
    return fail(idx.header, std::to_string(data.size() - idx.header) +
                                " bytes follow the header, its sizes need " +
                                std::to_string(bytes));
  }
  return idx;
}

// The file of labels beside that of pictures.
fs::path labels_beside(const fs::path& pictures) {
  std::string file = pictures.filename().string();
  for (const auto& [from, to] : {std::pair{"images", "labels"}, std::pair{"idx3", "idx1"}}) {
    const size_t at = file.find(from);
    if (at != std::string::npos) file.replace(at, std::string_view(from).size(), to);
  }
  return pictures.parent_path() / file;
}

// Bytes of many pictures, shared by the samples.
struct Pictures {
  Bytes data;
  size_t first = 0, step = 0;
  int64_t height = 0, width = 0, planes = 1;
};

Result<Loaded> picture_at(const Pictures& all, size_t index) {
  Loaded loaded;
  loaded.picture = true;
  EDGETWIN_TRY_ASSIGN(loaded.tensor,
                      Tensor::zeros(DType::uint8, {all.height, all.width, all.planes}));
  const size_t pixels = static_cast<size_t>(all.height * all.width);
  const size_t start = all.first + index * all.step;
  const auto planes = static_cast<size_t>(all.planes);
  if (planes == 1) {
    std::copy_n(all.data.begin() + static_cast<int64_t>(start), pixels, loaded.tensor.data.begin());
    return loaded;
  }
  for (size_t c = 0; c < planes; ++c) {
    for (size_t p = 0; p < pixels; ++p) {
      loaded.tensor.data[p * planes + c] = all.data[start + c * pixels + p];
    }
  }
  return loaded;
}

void add_sample(SampleSet& set, const fs::path& file, size_t index, int64_t label) {
  Sample s;
  s.name = file.filename().string() + "[" + std::to_string(index) + "]";
  s.place = index;
  s.set_file = file.string();
  s.truth.word = std::to_string(label);
  set.samples.push_back(std::move(s));
}

void load_from(SampleSet& set, std::shared_ptr<const Pictures> all) {
  if (all->planes == 1) {
    const auto pixels = static_cast<size_t>(all->height * all->width);
    set.bytes = [all, pixels](const Sample& s) {
      return ByteSpan(all->data).subspan(all->first + s.place * all->step, pixels);
    };
  }
  set.load = [all = std::move(all)](const Sample& s) { return picture_at(*all, s.place); };
}

}  // namespace

std::string idx_in(const fs::path& folder) {
  std::error_code failed;
  for (const char* part : {"t10k", "test", "train"}) {
    for (const char* ending : {"-images-idx3-ubyte", "-images.idx3-ubyte"}) {
      const fs::path file = folder / (std::string(part) + ending);
      if (fs::is_regular_file(file, failed)) return file.string();
    }
  }
  return "";
}

bool looks_like_idx(ByteSpan data) {
  return data.size() >= 4 && big(data, 0) >= 0x801 && big(data, 0) <= 0x804;
}

Result<SampleSet> read_idx_pair(const fs::path& pictures) {
  const fs::path names = labels_beside(pictures);
  if (names == pictures) {
    return broken(Rule::set_truth, "the name has no 'images' that 'labels' could replace")
        .in_file(pictures.string())
        .with_hint("Name the files NAME-images-idx3-ubyte and NAME-labels-idx1-ubyte.");
  }
  const auto all = std::make_shared<Pictures>();
  EDGETWIN_TRY_ASSIGN(all->data, read_file(pictures));
  EDGETWIN_TRY_ASSIGN(const Bytes labels, read_file(names));
  EDGETWIN_TRY_ASSIGN(const Idx items, idx_header(all->data, pictures.string()));
  EDGETWIN_TRY_ASSIGN(const Idx classes, idx_header(labels, names.string()));
  if (items.sizes.size() < 3 || classes.sizes.size() != 1) {
    return damaged(pictures.string(), 0,
                   "pictures need 3 dimensions and labels 1; here are " +
                       std::to_string(items.sizes.size()) + " and " +
                       std::to_string(classes.sizes.size()));
  }
  if (items.sizes[0] != classes.sizes[0]) {
    return damaged(names.string(), 0,
                   std::to_string(classes.sizes[0]) + " labels for " +
                       std::to_string(items.sizes[0]) + " pictures");
  }
  all->first = items.header;
  all->height = items.sizes[1];
  all->width = items.sizes[2];
  if (items.sizes.size() == 4) {  // rows, columns, channels as they stand
    return damaged(pictures.string(), 0, "pictures of 4 dimensions are not read");
  }
  all->step = static_cast<size_t>(all->height * all->width);
  SampleSet set;
  set.kind = "idx";
  for (size_t i = 0; i < static_cast<size_t>(items.sizes[0]); ++i) {
    add_sample(set, pictures, i, static_cast<int64_t>(labels[classes.header + i]));
  }
  seal(set, sha256_hex(all->data));
  load_from(set, all);
  return set;
}

std::string cifar_in(const fs::path& folder) {
  std::error_code failed;
  for (const char* part : {"test_batch.bin", "test.bin"}) {
    if (fs::is_regular_file(folder / part, failed)) return (folder / part).string();
  }
  return "";
}

Result<SampleSet> read_cifar(Bytes data, const fs::path& file) {
  constexpr size_t kPixels = 3 * 32 * 32;
  const std::string name = file.filename().string();
  const bool hundred = name == "test.bin" || name == "train.bin";
  const size_t labels = hundred ? 2 : 1;
  const size_t step = labels + kPixels;
  if (data.size() % step != 0) {
    return damaged(
        file.string(), 0,
        std::to_string(data.size()) + " bytes are not whole pictures of " + std::to_string(step));
  }
  SampleSet set;
  set.kind = hundred ? "cifar-100" : "cifar-10";
  for (size_t i = 0; i < data.size() / step; ++i) {
    add_sample(set, file, i, static_cast<int64_t>(data[i * step + labels - 1]));
  }
  seal(set, sha256_hex(data));
  const auto all = std::make_shared<Pictures>(Pictures{std::move(data), labels, step, 32, 32, 3});
  load_from(set, all);
  return set;
}

}  // namespace edgetwin::evaluation
