#pragma once
#include <cstdio>
// As the device prints it: colour, level, time, tag.
#define ESP_LOGI(tag, format, ...) \
  std::printf("\033[0;32mI (%d) %s: " format "\033[0m\r\n", 123, tag, __VA_ARGS__)
