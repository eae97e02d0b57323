// Integers of any width up to 126 bits, as far as code by kalg uses them: a stand-in for the vendor's header, to run that code with any
// compiler. Sums, products and shifts are exact, and cut where they are assigned.
#pragma once

template <int BITS, bool SIGNED>
class kalg_integer {
  static_assert(BITS >= 1 && BITS <= 126, "a stand-in has at most 126 bits");
  __int128 value;

  static __int128 cut(__int128 of) {
    const unsigned __int128 mask = ((unsigned __int128)1 << BITS) - 1;
    const unsigned __int128 rest = (unsigned __int128)of & mask;
    const bool negative = SIGNED && (rest >> (BITS - 1)) != 0;
    return negative ? (__int128)rest - ((__int128)1 << BITS) : (__int128)rest;
  }

 public:
  kalg_integer() : value(0) {}
  kalg_integer(__int128 of) : value(cut(of)) {}
  operator __int128() const { return value; }
  int to_int() const { return (int)value; }
};

template <int BITS>
struct ap_int : kalg_integer<BITS, true> {
  ap_int() {}
  ap_int(__int128 of) : kalg_integer<BITS, true>(of) {}
  template <int OTHER, bool OTHER_SIGNED>
  ap_int(const kalg_integer<OTHER, OTHER_SIGNED> &of) : kalg_integer<BITS, true>((__int128)of) {}
};

template <int BITS>
struct ap_uint : kalg_integer<BITS, false> {
  ap_uint() {}
  ap_uint(__int128 of) : kalg_integer<BITS, false>(of) {}
  template <int OTHER, bool OTHER_SIGNED>
  ap_uint(const kalg_integer<OTHER, OTHER_SIGNED> &of) : kalg_integer<BITS, false>((__int128)of) {}
};
