// How many steps of x -> x / 2, or 3 x + 1 if x is odd, lead to 1?
struct Start { long from; };
struct State { long x, largest; };
struct Result { long largest; };

void begin(const Start& start, State& state) {
  state.x = state.largest = start.from;
}

void step(State& state) {
  state.x = state.x & 1 ? state.x + state.x + state.x + 1 : state.x >> 1;
  if (state.x > state.largest) state.largest = state.x;
}

bool done(const State& state) { return state.x <= 1; }

void end(const State& state, Result& result) { result.largest = state.largest; }
