// What another project writes: it sees the installed headers and libedgetwin.so, nothing else.
#include <edgetwin/version.h>

#include <iostream>

int main() {
  std::cout << "edgetwin " << edgetwin::version() << "\n";
  return 0;
}
