// The files of models/digits. Every function says whether it could write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "picture.h"
#include "quantize.h"

namespace edgetwin::digits {

bool write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes);
bool write_text(const std::string& path, const std::string& text);

// NumPy's format, version 1.0, type int8, C order.
bool write_npy(const std::string& path, const std::vector<std::int32_t>& dims,
               const std::vector<std::int8_t>& values);

// "007_3": position in the set and label.
std::string picture_name(int index, const Picture& picture);

// pictures/*.png and labels.txt
bool write_pictures(const std::string& folder, const PictureSet& set);

// NAME-images-idx3-ubyte and NAME-labels-idx1-ubyte, the files of the MNIST family.
bool write_idx(const std::string& folder, const std::string& name, const PictureSet& set);

// expected/: every activation of some pictures, the last two tensors and the answer of all.
bool write_expected(const std::string& folder, const QuantizedNet& net, const PictureSet& set);

}  // namespace edgetwin::digits
