// The fonts the pictures are drawn from, as Debian installs them, and their digits as large grey
// bitmaps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace edgetwin::digits {

// Coverage 0..255 of one digit, cropped to its ink.
struct Glyph {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage;
};

struct FontDigits {
  std::array<Glyph, 10> glyph;
};

struct FontLibrary {
  std::vector<FontDigits> training;
  std::vector<FontDigits> held_out;  // families that training never sees
};

// Reads every font of the table below `folder` (usually /usr/share/fonts). Nothing on failure, with
// the reason in `error`. A font file of another version than the recorded one is an error as well:
// the model would come out different without anybody noticing.
std::optional<FontLibrary> load_fonts(const std::string& folder, std::string& error);

}  // namespace edgetwin::digits
