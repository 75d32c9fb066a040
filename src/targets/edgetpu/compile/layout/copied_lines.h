// How words that stay in their tile go through lines of wide memory, as in the vendor's programs.
// Specification "heads" 3.1.
#pragma once

#include <algorithm>

#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

// Words of a box that are read, in lines of wide memory, and written.
struct CopiedLines {
  Dims from, to;                          // levels of a line, then that of lines
  int64_t count = 1, last = 0;            // lines; words of the last one where it is shorter
  size_t from_levels = 1, to_levels = 1;  // of a line
};

// A run of equal words, as one level or in lines.
inline CopiedLines lines_of_run(int64_t n) {
  CopiedLines l;
  l.count = ceil_div(n, kLineWords);
  if (l.count == 1) {
    l.from = l.to = {{1, n}};
    return l;
  }
  l.from = l.to = {{1, kLineWords}, {kLineWords, l.count}};
  l.last = n % kLineWords;
  return l;
}

// Positions of `words` words `pitch` apart, `columns` of them in each of `rows` rows, to rows that
// are `row` words apart: as many whole positions in each line as there can be in all lines alike.
inline CopiedLines lines_of_positions(int64_t words, int64_t pitch, int64_t columns, int64_t rows,
                                      int64_t row) {
  const int64_t all = columns * rows;
  int64_t n = std::max<int64_t>(1, std::min(all, kLineWords / words));
  while (all % n != 0 || (n % columns != 0 && columns % n != 0)) --n;
  CopiedLines l;
  l.count = all / n;
  l.from = fused(without_ones({{1, words}, {pitch, n}}, 1));
  l.from_levels = l.from.size();
  if (n % columns == 0) {
    l.to = without_ones({{1, words * columns}, {row, n / columns}}, 1);
    l.to_levels = l.to.size();
    if (l.count > 1) l.to.push_back({row * (n / columns), l.count});
  } else {
    l.to = {{1, words * n}, {words * n, columns / n}, {row, rows}};
    l.to = without_ones(l.to, 1);
  }
  if (l.count > 1) l.from.push_back({pitch * n, l.count});
  return l;
}

}  // namespace edgetwin::edgetpu::compiler
