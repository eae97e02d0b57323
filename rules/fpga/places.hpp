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
template <class T, int LANES, int LENGTH>
struct above {
  T line[LENGTH][LANES];
  int place;
  void read(T (&q)[LANES]) const {
#pragma HLS INLINE
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      q[lane] = line[place][lane];
    }
  }
  void write(const T (&d)[LANES]) {
#pragma HLS INLINE
#pragma HLS ARRAY_RESHAPE variable=line complete dim=2
#pragma HLS DEPENDENCE variable=line inter false
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      line[place][lane] = d[lane];
    }
    place = place == LENGTH - 1 ? 0 : place + 1;
  }
};

}  // namespace kalg

#endif
