#include "report.hpp"

#include <cstdio>

#include "esp_log.h"

namespace check {
namespace {

constexpr char kTag[] = "edgetwin";

// Numbers go through std::to_string: which letter prints an int64_t differs between C libraries.
void line(const std::string& text) {
  std::printf("EDGETWIN %s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace

void say(const std::string& text) { ESP_LOGI(kTag, "%s", text.c_str()); }

std::string word(const std::string& text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && byte != '%') {
      result += c;
    } else {
      result += '%';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result.empty() ? "-" : result;
}

std::string hexadecimal(uint32_t value) {
  std::string result = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) result += "0123456789abcdef"[value >> shift & 15];
  return result;
}

void Report::info(const Pairs& pairs) {
  std::string text = "info";
  for (const auto& [key, value] : pairs) text += std::string(" ") + key + "=" + word(value);
  line(text);
}

void Report::pass(const char* suite, const std::string& name, int64_t checked) {
  ++checks_;
  line(std::string(suite) + " " + word(name) + " PASS n=" + std::to_string(checked));
  say(std::string(suite) + " " + name + ": all equal");
}

void Report::fail(const char* suite, const std::string& name, const Difference& difference,
                  const std::string& node) {
  ++checks_;
  ++failed_;
  const Mismatch& first = difference.first.front();
  std::string text = std::string(suite) + " " + word(name) +
                     " FAIL first=" + std::to_string(first.index) +
                     " hw=" + std::to_string(first.hw) + " sim=" + std::to_string(first.sim) +
                     " count=" + std::to_string(difference.count);
  if (!node.empty()) text += " node=" + word(node);
  if (!difference.reason.empty()) text += " reason=" + word(difference.reason);
  line(text);
  say(std::string(suite) + " " + name + ": DIFFERENT" +
      (difference.reason.empty() ? "" : ", " + difference.reason));
  for (const Mismatch& mismatch : difference.first) {
    say("  at " + std::to_string(mismatch.index) + ": chip " + std::to_string(mismatch.hw) +
        ", expected " + std::to_string(mismatch.sim));
  }
}

void Report::summary() {
  line(std::string("summary ") + (failed_ == 0 && checks_ > 0 ? "PASS" : "FAIL") +
       " checks=" + std::to_string(checks_) + " failed=" + std::to_string(failed_));
}

}  // namespace check
