// What the program exits with; docs/cli.md has the table.
#pragma once

namespace edgetwin::cli {

inline constexpr int kYes = 0;          // done, and the answer is yes
inline constexpr int kNo = 1;           // done, and the answer is no
inline constexpr int kUsage = 2;        // wrong use
inline constexpr int kInput = 3;        // the input cannot be used
inline constexpr int kEnvironment = 4;  // device or environment
inline constexpr int kBug = 70;         // our own bug
inline constexpr int kStopped = 130;    // Ctrl-C, after the last whole step

}  // namespace edgetwin::cli
