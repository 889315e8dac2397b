// The playground without a browser: a request in each line of standard input, an answer in each line of standard
// output.
#include <iostream>
#include <string>

#include "gdr/web/playground.h"

int main() {
  gdr::web::Playground playground;
  for (std::string request; std::getline(std::cin, request);) std::cout << playground.answer(request) << '\n';
}
