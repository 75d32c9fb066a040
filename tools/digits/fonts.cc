// The table of fonts and their reading. See README.md for the packages and licences.

#include "fonts.h"

#include <stb/stb_truetype.h>
#include <cstddef>
#include <fstream>
#include <iterator>

namespace edgetwin::digits {
namespace {

struct FontFile {
  const char* path;    // below the font folder of Debian
  std::uint64_t hash;  // FNV-1a of the file the stored model was made from
  bool held_out;
};

constexpr float kDigitHeight =
    80.0f;  // pixels of the "0"; about four times the largest digit drawn

// clang-format off
constexpr FontFile kFonts[] = {
    {"truetype/dejavu/DejaVuSans.ttf", 0xadadfef763426946u, false},
    {"truetype/dejavu/DejaVuSans-Bold.ttf", 0x1b3be1b9d0324063u, false},
    {"truetype/dejavu/DejaVuSansMono.ttf", 0xa8dfa66d4275dcaeu, false},
    {"truetype/dejavu/DejaVuSerif.ttf", 0xccf23444e8e41810u, false},
    {"truetype/dejavu/DejaVuSerif-Bold.ttf", 0xbebab54726bef844u, false},
    {"truetype/liberation2/LiberationSans-Regular.ttf", 0xe306daaacface6d4u, false},
    {"truetype/liberation2/LiberationSans-BoldItalic.ttf", 0xce4af7b1d5c243dbu, false},
    {"truetype/liberation2/LiberationSerif-Regular.ttf", 0xcf69cccb776913d4u, false},
    {"truetype/liberation2/LiberationSerif-Bold.ttf", 0xcac2a0addefd3071u, false},
    {"truetype/liberation2/LiberationSerif-Italic.ttf", 0xd119e62a140433ccu, false},
    {"truetype/liberation2/LiberationMono-Regular.ttf", 0x492b53cd3048915cu, false},
    {"truetype/lato/Lato-Light.ttf", 0x3f91c18d1233e852u, false},
    {"truetype/lato/Lato-Regular.ttf", 0x113a47ab0f957d12u, false},
    {"truetype/lato/Lato-Black.ttf", 0xe5e7b5a6cbd3df24u, false},
    {"truetype/lato/Lato-Italic.ttf", 0xb562c271f47ba051u, false},
    {"truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf", 0x457704583c170becu, false},
    {"truetype/roboto/unhinted/RobotoTTF/Roboto-Bold.ttf", 0x83b27fc2462f893eu, false},
    {"truetype/roboto/unhinted/RobotoCondensed-Light.ttf", 0x1a306ea231a65db7u, false},
    {"truetype/roboto/unhinted/RobotoCondensed-Bold.ttf", 0x47bc0137884696d7u, false},
    {"truetype/inconsolata/Inconsolata.otf", 0xe13cf5054f347032u, false},
    {"truetype/quicksand/Quicksand-Regular.ttf", 0xd6b3cf4a9d619cd0u, false},
    {"truetype/quicksand/Quicksand-Bold.ttf", 0x34448e28c5e8ee3fu, false},
    {"truetype/comfortaa/Comfortaa-Regular.ttf", 0x0ee9863a8d36feb3u, false},
    {"truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", 0x2e0b9780e3c7e527u, false},
    {"truetype/jetbrains-mono/JetBrainsMono-ExtraBold.ttf", 0x2106dfdc199ae68au, false},
    {"truetype/firacode/FiraCode-Regular.ttf", 0x80f325d84cd4cf1eu, false},
    {"truetype/open-sans/OpenSans-Regular.ttf", 0x92a2740b55527b39u, true},
    {"truetype/open-sans/OpenSans-Bold.ttf", 0x18bef89f1eb07fceu, true},
    {"truetype/open-sans/OpenSans-Italic.ttf", 0x2af901bdd69c8917u, true},
    {"opentype/cabin/Cabin-Regular.otf", 0x5587db2d6d337f4au, true},
    {"opentype/cabin/Cabin-Bold.otf", 0x02fc9690eb00b96eu, true},
    {"opentype/cantarell/Cantarell-Regular.otf", 0xd2b6a1205fd86e60u, true},
    {"opentype/cantarell/Cantarell-Bold.otf", 0xc93c0315948d9277u, true},
    {"truetype/crosextra/Caladea-Regular.ttf", 0x37e07342dda09538u, true},
    {"truetype/crosextra/Caladea-Bold.ttf", 0x75e427eeab9a88dfu, true},
};
// clang-format on

std::uint64_t fnv1a(const std::vector<unsigned char>& bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3u;
  return hash;
}

Glyph draw_glyph(const stbtt_fontinfo& font, float scale, int code) {
  Glyph glyph;
  int x_offset = 0;
  int y_offset = 0;
  unsigned char* bitmap = stbtt_GetCodepointBitmap(&font, scale, scale, code, &glyph.width,
                                                   &glyph.height, &x_offset, &y_offset);
  if (bitmap == nullptr) return Glyph{};
  const auto size = static_cast<std::size_t>(glyph.width) * static_cast<std::size_t>(glyph.height);
  glyph.coverage.assign(bitmap, bitmap + size);
  stbtt_FreeBitmap(bitmap, nullptr);
  return glyph;
}

// The ten digits at a common scale, chosen by the height of the zero, not by the font's own line
// height.
bool draw_digits(const std::vector<unsigned char>& file, FontDigits& digits) {
  stbtt_fontinfo font;
  const int offset = stbtt_GetFontOffsetForIndex(file.data(), 0);
  if (offset < 0 || stbtt_InitFont(&font, file.data(), offset) == 0) return false;
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  if (stbtt_GetCodepointBox(&font, '0', &x0, &y0, &x1, &y1) == 0 || y1 <= y0) return false;
  const float scale = kDigitHeight / static_cast<float>(y1 - y0);
  for (int digit = 0; digit < 10; ++digit) {
    Glyph& glyph = digits.glyph[static_cast<std::size_t>(digit)];
    glyph = draw_glyph(font, scale, '0' + digit);
    if (glyph.coverage.empty()) return false;
  }
  return true;
}

bool load_font(const std::string& path, std::uint64_t hash, FontDigits& digits,
               std::string& error) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || bytes.empty()) {
    error = path + ": cannot be read; README.md lists the packages to install";
    return false;
  }
  if (fnv1a(bytes) != hash) {
    error = path + ": not the version the stored model was made from";
    return false;
  }
  if (!draw_digits(bytes, digits)) {
    error = path + ": has no usable digits";
    return false;
  }
  return true;
}

}  // namespace

std::optional<FontLibrary> load_fonts(const std::string& folder, std::string& error) {
  FontLibrary library;
  for (const FontFile& file : kFonts) {
    FontDigits digits;
    if (!load_font(folder + "/" + file.path, file.hash, digits, error)) return std::nullopt;
    (file.held_out ? library.held_out : library.training).push_back(std::move(digits));
  }
  return library;
}

}  // namespace edgetwin::digits
