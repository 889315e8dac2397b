// What the module is asked by: a request in, its answer out, both JSON as text.
Module["ask"] = function (request) {
  const size = lengthBytesUTF8(request) + 1;
  const at = _malloc(size);
  if (at === 0) throw new Error("there is not enough memory for the request");
  stringToUTF8(request, at, size);
  try {
    return UTF8ToString(_gdr_answer(at));
  } finally {
    _free(at);
  }
};
