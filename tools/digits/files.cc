#include "files.h"

#include <stb/stb_image_write.h>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "net.h"
#include "reference.h"

namespace edgetwin::digits {
namespace {

// Spread over the set; enough to find the layer and the channel where two arithmetics part.
constexpr int kTraced[] = {0, 66, 133, 199};

bool make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return !error;
}

void append_big_endian(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

bool write_trace(const std::string& folder, const QuantizedNet& net,
                 const QuantizedTensors& tensors) {
  if (!make_folder(folder)) return false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "/%04zu_", i);
    const std::string name = i == 0 ? "picture" : net.layers[i - 1].name;
    if (!write_npy(folder + number + name + ".npy", net.dims[i], tensors[i])) return false;
  }
  return true;
}

}  // namespace

bool write_idx(const std::string& folder, const std::string& name, const PictureSet& set) {
  if (!make_folder(folder)) return false;
  constexpr std::uint32_t kBytesOf3 = 0x803, kBytesOf1 = 0x801;
  std::vector<std::uint8_t> pictures, labels;
  append_big_endian(pictures, kBytesOf3);
  append_big_endian(pictures, static_cast<std::uint32_t>(set.size()));
  append_big_endian(pictures, kSide);
  append_big_endian(pictures, kSide);
  append_big_endian(labels, kBytesOf1);
  append_big_endian(labels, static_cast<std::uint32_t>(set.size()));
  for (const Picture& picture : set) {
    pictures.insert(pictures.end(), picture.grey.begin(), picture.grey.end());
    labels.push_back(static_cast<std::uint8_t>(picture.label));
  }
  return write_bytes(folder + "/" + name + "-images-idx3-ubyte", pictures) &&
         write_bytes(folder + "/" + name + "-labels-idx1-ubyte", labels);
}

bool write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  return write_text(path, std::string(bytes.begin(), bytes.end()));
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  return stream.good();
}

bool write_npy(const std::string& path, const std::vector<std::int32_t>& dims,
               const std::vector<std::int8_t>& values) {
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) header += ", ";
    header += std::to_string(dims[i]);
  }
  header += dims.size() == 1 ? ",), }" : "), }";  // a tuple of one needs its comma
  // Magic, version and length take ten bytes; the data starts at a multiple of 64, after a line
  // feed.
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  return write_text(path, text + std::string(values.begin(), values.end()));
}

std::string picture_name(int index, const Picture& picture) {
  char name[32];
  std::snprintf(name, sizeof name, "%03d_%d", index, picture.label);
  return name;
}

bool write_pictures(const std::string& folder, const PictureSet& set) {
  if (!make_folder(folder + "/pictures")) return false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const std::string path =
        folder + "/pictures/" + picture_name(static_cast<int>(i), set[i]) + ".png";
    if (stbi_write_png(path.c_str(), kSide, kSide, 1, set[i].grey.data(), kSide) == 0) return false;
  }
  std::string labels;
  for (int digit = 0; digit < kClasses; ++digit) labels += std::to_string(digit) + "\n";
  return write_text(folder + "/labels.txt", labels);
}

bool write_expected(const std::string& folder, const QuantizedNet& net, const PictureSet& set) {
  const std::string expected = folder + "/expected/";
  if (!make_folder(expected)) return false;
  std::vector<std::int8_t> logits;
  std::vector<std::int8_t> probabilities;
  std::string answers = "picture\tlabel\ttop1\tprobability_int8\n";
  for (std::size_t i = 0; i < set.size(); ++i) {
    const QuantizedTensors tensors = run_reference(net, set[i]);
    const std::vector<std::int8_t>& last = tensors.back();
    const std::vector<std::int8_t>& before = tensors[tensors.size() - 2];
    logits.insert(logits.end(), before.begin(), before.end());
    probabilities.insert(probabilities.end(), last.begin(), last.end());
    const std::string name = picture_name(static_cast<int>(i), set[i]);
    const int best = top1(last);
    answers += name + ".png\t" + std::to_string(set[i].label) + "\t" + std::to_string(best) + "\t" +
               std::to_string(last[static_cast<std::size_t>(best)]) + "\n";
    for (const int traced : kTraced) {
      if (traced != static_cast<int>(i)) continue;
      if (!write_trace(expected + name, net, tensors)) return false;
    }
  }
  const std::vector<std::int32_t> dims{static_cast<std::int32_t>(set.size()), kClasses};
  return write_npy(expected + "logits.npy", dims, logits) &&
         write_npy(expected + "probabilities.npy", dims, probabilities) &&
         write_text(folder + "/expected_top1.txt", answers);
}

}  // namespace edgetwin::digits
