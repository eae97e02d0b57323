#ifndef KALG_HLS
#define KALG_HLS

namespace kalg {

// The value of lane `lane` of so many pixels ago: REST of them within a word, the others whole words, which `later` and `earlier` tell
// apart by one.
template <int REST, class T, int LANES>
T back(const T (&later)[LANES], const T (&earlier)[LANES], int lane) {
#pragma HLS INLINE
  return lane >= REST ? later[lane >= REST ? lane - REST : 0] : earlier[lane < REST ? lane - REST + LANES : 0];
}

// The root of a non-negative number of at most 2·BITS bits, rounded down.
template <int BITS>
ap_uint<BITS> root(const ap_uint<2 * BITS> &square) {
#pragma HLS INLINE
  ap_uint<BITS> found = 0;
  ap_uint<BITS + 2> rest = 0;
  for (int i = BITS - 1; i >= 0; i--) {
#pragma HLS UNROLL
    const ap_uint<BITS + 2> trial = (rest << 2) + ((square >> (2 * i)) & 3);
    const ap_uint<BITS + 2> by = (ap_uint<BITS + 2>(found) << 2) + 1;
    const bool fits = trial >= by;
    rest = fits ? ap_uint<BITS + 2>(trial - by) : trial;
    found = (found << 1) + (fits ? 1 : 0);
  }
  return found;
}

// A delay of LENGTH words in registers, which advance where they should. Of LANES, one in EVERY is kept from FIRST on; the others are zeros behind it,
// here and below.
template <class T, int LANES, int LENGTH, int EVERY = 1, int FIRST = 0>
struct registers {
  T line[LENGTH][LANES / EVERY];
  void shift(const T (&d)[LANES], T (&q)[LANES], bool advance = true) {
#pragma HLS INLINE
#pragma HLS ARRAY_PARTITION variable=line complete dim=0
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      const bool is_kept = lane % EVERY == FIRST;
      q[lane] = is_kept ? line[LENGTH - 1][lane / EVERY] : T(0);
      if (!is_kept || !advance) continue;
      for (int i = LENGTH - 1; i > 0; i--) {
#pragma HLS UNROLL
        line[i][lane / EVERY] = line[i - 1][lane / EVERY];
      }
      line[0][lane / EVERY] = d[lane];
    }
  }
};

// A delay of LENGTH words in memory: a ring, whose oldest word is read before it is overwritten.
template <class T, int LANES, int LENGTH, int EVERY = 1, int FIRST = 0>
struct memory {
  T line[LENGTH][LANES / EVERY];
  int place;
  void shift(const T (&d)[LANES], T (&q)[LANES], bool advance = true) {
#pragma HLS INLINE
#pragma HLS ARRAY_RESHAPE variable=line complete dim=2
#pragma HLS DEPENDENCE variable=line inter false
    for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
      const bool is_kept = lane % EVERY == FIRST;
      q[lane] = is_kept ? line[place][lane / EVERY] : T(0);
      if (is_kept && advance) line[place][lane / EVERY] = d[lane];
    }
    if (advance) place = place == LENGTH - 1 ? 0 : place + 1;
  }
};

// Sends on the words of a port.
template <class PORT, class WORD, int WORDS>
void sent(hls::stream<PORT> &in, hls::stream<WORD, 2> &out) {
  for (int i = 0; i < WORDS; i++) {
#pragma HLS PIPELINE II=1
    out.write(in.read().data);
  }
}

// Surrounds a picture of HEIGHT rows of WORDS words by its nearest pixels: LEFT and RIGHT words, TOP and BOTTOM rows.
template <class PORT, class WORD, int WORDS, int HEIGHT, int LEFT, int RIGHT, int TOP, int BOTTOM>
void replicated(hls::stream<PORT> &in, hls::stream<WORD, 2> &out) {
  const int LANES = WORD::LANES;
  WORD kept[WORDS];
  WORD here = WORD();
  for (int row = 0; row < TOP + HEIGHT + BOTTOM; row++) {
    for (int column = 0; column < LEFT + WORDS + RIGHT; column++) {
#pragma HLS LOOP_FLATTEN
#pragma HLS PIPELINE II=1
      const bool fresh = row == 0 || (row > TOP && row < TOP + HEIGHT);
      const bool inside = column >= LEFT && column < LEFT + WORDS;
      // The word of the first column is there before the margin beside it is made.
      if (fresh && (column == 0 || (inside && column > LEFT))) here = in.read().data;
      if (!fresh && column < LEFT + WORDS) here = kept[inside ? column - LEFT : 0];
      if (fresh && inside) kept[column - LEFT] = here;
      WORD word = here;
      for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
        if (!inside) word.lane[lane] = here.lane[column < LEFT ? 0 : LANES - 1];
      }
      out.write(word);
    }
  }
}

// The words of a frame within margins that mirror the picture; its outermost pixels are there twice if TWICE is 1. Rows are kept in a
// ring, into which words go as long as there is room, FIRST rows and one more before the first is read.
template <class PORT, class WORD, class PIXEL, int WORDS, int HEIGHT, int LEFT, int RIGHT, int TOP, int BOTTOM, int TWICE>
void mirrored(hls::stream<PORT> &in, hls::stream<WORD, 2> &out) {
  const int LANES = WORD::LANES;
  const int FIRST = TOP > TWICE ? TOP - TWICE : 0, AGAIN = BOTTOM > TWICE ? BOTTOM - TWICE : 0;
  const int SLOTS = (FIRST > AGAIN ? FIRST : AGAIN) + 2;
  const int BEFORE = (FIRST + 1) * WORDS;
  const int ROWS = TOP + HEIGHT + BOTTOM, COLUMNS = LEFT + WORDS + RIGHT;
  PIXEL kept[LANES][SLOTS * WORDS];
#pragma HLS ARRAY_PARTITION variable=kept dim=1 complete
  int filled = 0, filled_slot = 0, taken = 0;
  int row = 0, column = 0, slot = FIRST;
  for (int number = 0; number < BEFORE + ROWS * COLUMNS; number++) {
#pragma HLS PIPELINE II=1
    const int oldest = row <= TOP ? 0 : row - TOP < HEIGHT - 1 - AGAIN ? row - TOP : HEIGHT - 1 - AGAIN;
    const bool room = filled < HEIGHT && filled < oldest + SLOTS;
    if (number >= BEFORE) {
      const bool west = column < LEFT, east = column >= LEFT + WORDS;
      const int here = west ? LEFT - 1 - column : east ? 2 * WORDS + LEFT - 1 - column : column - LEFT;
      PIXEL again[LANES];
      WORD word;
      for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
        int place = here;
        if (TWICE == 0 && lane == 0 && west) place = here + 1;
        if (TWICE == 0 && lane == LANES - 1 && east) place = here - 1;
        again[lane] = kept[lane][slot * WORDS + place];
      }
      for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
        const int at_west = TWICE == 1 ? LANES - 1 - lane : (LANES - lane) % LANES;
        const int at_east = TWICE == 1 ? LANES - 1 - lane : (2 * LANES - 2 - lane) % LANES;
        word.lane[lane] = again[west ? at_west : east ? at_east : lane];
      }
      out.write(word);
      if (column == COLUMNS - 1) {
        const bool stays = TWICE == 1 && (row == TOP - 1 || row == TOP + HEIGHT - 1);
        const int next = stays ? 0 : row < TOP || row >= TOP + HEIGHT - 1 ? -1 : 1;
        slot = slot + next < 0 ? SLOTS - 1 : slot + next == SLOTS ? 0 : slot + next;
        row++;
      }
      column = column == COLUMNS - 1 ? 0 : column + 1;
    }
    if (room) {
      const WORD word = in.read().data;
      for (int lane = 0; lane < LANES; lane++) {
#pragma HLS UNROLL
        kept[lane][filled_slot * WORDS + taken] = word.lane[lane];
      }
      const bool ends = taken == WORDS - 1;
      taken = ends ? 0 : taken + 1;
      if (ends) filled++;
      if (ends) filled_slot = filled_slot == SLOTS - 1 ? 0 : filled_slot + 1;
    }
  }
}

// Surrounds a picture likewise by one value.
template <class PORT, class WORD, int WORDS, int HEIGHT, int LEFT, int RIGHT, int TOP, int BOTTOM>
void constant(hls::stream<PORT> &in, hls::stream<WORD, 2> &out, WORD margin) {
  for (int row = 0; row < TOP + HEIGHT + BOTTOM; row++) {
    for (int column = 0; column < LEFT + WORDS + RIGHT; column++) {
#pragma HLS LOOP_FLATTEN
#pragma HLS PIPELINE II=1
      const bool inside = row >= TOP && row < TOP + HEIGHT && column >= LEFT && column < LEFT + WORDS;
      WORD word = margin;
      if (inside) word = in.read().data;
      out.write(word);
    }
  }
}

}  // namespace kalg

#endif

