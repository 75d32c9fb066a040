// Writes JSON text: two blanks per level, members in the order given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin::espdl {

class JsonText {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_list() { open('['); }
  void close_list() { close(']'); }
  void key(std::string_view name);
  void value(std::string_view text);
  void value(int64_t number);
  void value(double number);  // null if it is not finite
  void value(bool truth);

  const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void begin_item();
  void add_string(std::string_view text);

  std::string text_;
  std::vector<bool> empty_;  // by level: nothing written yet
  bool after_key_ = false;
};

}  // namespace edgetwin::espdl
