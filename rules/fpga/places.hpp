#ifndef KALG_HLS_PLACES
#define KALG_HLS_PLACES

namespace kalg {

// Where words are in their periods: the number of a word in COLUMN_PERIOD words of a row of COLUMNS, that of its row in ROW_PERIOD rows,
// and that of the row of the next word. A frame begins at word FIRST_COLUMN of row FIRST_ROW.
template <int COLUMNS, int COLUMN_PERIOD, int ROW_PERIOD, int FIRST_COLUMN, int FIRST_ROW>
struct place {
  int word, column, row;
  place() : word(FIRST_COLUMN), column(FIRST_COLUMN % COLUMN_PERIOD), row(FIRST_ROW) {}
  int next_row() const {
#pragma HLS INLINE
    return word != COLUMNS - 1 ? row : row == ROW_PERIOD - 1 ? 0 : row + 1;
  }
  void next() {
#pragma HLS INLINE
    row = next_row();
    word = word == COLUMNS - 1 ? 0 : word + 1;
    column = column == COLUMN_PERIOD - 1 ? 0 : column + 1;
  }
};

// The results of a cell a row ago, in memory: a word is read before the one that takes its place is written.
template <class T, int LANES, int LENGTH, int EVERY = 1, int FIRST = 0>
struct above {
  T line[LENGTH][LANES / EVERY];
  int place;
  void read(T (&q)[LANES]) const {
#pragma HLS INLINE
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      q[lane] = lane % EVERY == FIRST ? line[place][lane / EVERY] : T(0);
    }
  }
  void write(const T (&d)[LANES]) {
#pragma HLS INLINE
#pragma HLS ARRAY_RESHAPE variable=line complete dim=2
#pragma HLS DEPENDENCE variable=line inter false
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      if (lane % EVERY == FIRST) line[place][lane / EVERY] = d[lane];
    }
    place = place == LENGTH - 1 ? 0 : place + 1;
  }
};

// The least or the greatest of a value and those behind it to the end of its period of PERIOD rows of WORDS words, when the value two periods
// later comes in. Each of two memories is read where it is written: a period takes the places that the one before leaves, so every second
// period goes backwards.
template <class T, int PERIOD, int WORDS>
struct until {
  T values[PERIOD * WORDS], found[PERIOD * WORDS], before[WORDS];
  bool up;
  template <class Wins>
  T step(T d, int row, int word, Wins wins) {
#pragma HLS INLINE
    if (row == 0 && word == 0) up = !up;
    const int place = (up ? row : PERIOD - 1 - row) * WORDS + word;
    const T value = values[place];
    values[place] = d;
    const T so_far = row == 0 || wins(value, before[word]) ? value : before[word];
    before[word] = so_far;
    const T result = found[place];
    found[place] = so_far;
    return result;
  }
  static bool is_less(T a, T b) { return a < b; }
  static bool is_greater(T a, T b) { return a > b; }
  T least(T d, int row, int word) {
#pragma HLS INLINE
    return step(d, row, word, is_less);
  }
  T greatest(T d, int row, int word) {
#pragma HLS INLINE
    return step(d, row, word, is_greater);
  }
};

}  // namespace kalg

#endif
