// What the vector intrinsics that kalg emits do, as their documentation states it (UG1078, UG1079): for checking emitted
// code with any C++17 compiler. On the machine itself the vendor's header takes the place of this file. Intrinsics take operands
// of the sizes that target.sexp lists, and no others; a test holds both against each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef __chess__
#define chess_prepare_for_pipelining
#define chess_loop_range(...)

namespace kalg {

template <class T, std::size_t N> struct vector {
    T at[N];
};

// Sums are kept in more bits than the machine's 48 or 80; that they fit is checked by kalg's simulator.
template <class T, std::size_t N> struct accumulator {
    T at[N];
};

// A buffer of data: 1024 or 512 bits.
template <class T, std::size_t N>
using buffer = std::enable_if_t<8 * sizeof(T) * N == 1024 || 8 * sizeof(T) * N == 512>;

inline unsigned nibble(std::uint64_t word, unsigned at) { return word >> (4 * at) & 15; }

// 32-bit data: lane l takes start + nibble l of the offsets, modulo the length of the buffer.
template <std::size_t N> std::int64_t word(const vector<std::int32_t, N> &x, int start, std::uint32_t offsets, unsigned lane) {
    return x.at[(start + nibble(offsets, lane)) % N];
}

// 16-bit data: a pair of lanes takes two 32-bit granules, which the square hands out to its lanes and columns.
template <std::size_t N>
std::int64_t half(const vector<std::int16_t, N> &x, int start, std::uint32_t low, std::uint32_t high, unsigned square,
                  unsigned lane, unsigned column) {
    const std::uint64_t offsets = low | std::uint64_t(high) << 32;
    const unsigned first = start + 2 * nibble(offsets, lane & ~1u);
    const unsigned second = first + 2 * (nibble(offsets, lane | 1u) + 1);
    const unsigned place = nibble(square, 2 * (lane & 1) + column);
    return x.at[(place < 2 ? first + place : second + place - 2) % N];
}

template <std::size_t M>
std::int64_t coefficient(const vector<std::int16_t, M> &z, int start, std::uint32_t low, std::uint32_t high, int step,
                         unsigned lane, unsigned column) {
    return z.at[(start + nibble(low | std::uint64_t(high) << 32, lane) + column * step) % M];
}

}  // namespace kalg

using v16int8 = kalg::vector<std::int8_t, 16>;
using v32int8 = kalg::vector<std::int8_t, 32>;
using v64int8 = kalg::vector<std::int8_t, 64>;
using v128int8 = kalg::vector<std::int8_t, 128>;
using v8int32 = kalg::vector<std::int32_t, 8>;
using v16int32 = kalg::vector<std::int32_t, 16>;
using v32int32 = kalg::vector<std::int32_t, 32>;
using v16int16 = kalg::vector<std::int16_t, 16>;
using v32int16 = kalg::vector<std::int16_t, 32>;
using v64int16 = kalg::vector<std::int16_t, 64>;
using v8acc80 = kalg::accumulator<__int128, 8>;
using v16acc48 = kalg::accumulator<std::int64_t, 16>;

enum rounding { rnd_floor, rnd_pos_inf };
inline rounding kalg_rounding = rnd_floor;
inline bool kalg_saturation = false;
inline void set_rnd(rounding mode) { kalg_rounding = mode; }
inline void set_sat() { kalg_saturation = true; }

template <class T, std::size_t N>
kalg::vector<T, N> upd_w(kalg::vector<T, N> into, int half, const kalg::vector<T, N / 2> &value) {
    for (std::size_t i = 0; i < N / 2; ++i) into.at[half * (N / 2) + i] = value.at[i];
    return into;
}

template <class T, std::size_t N> kalg::vector<T, N / 2> ext_w(const kalg::vector<T, N> &from, int half) {
    kalg::vector<T, N / 2> value;
    for (std::size_t i = 0; i < N / 2; ++i) value.at[i] = from.at[half * (N / 2) + i];
    return value;
}

// Parts of 128 bits.
template <class T, std::size_t N>
kalg::vector<T, N> upd_v(kalg::vector<T, N> into, int part, const kalg::vector<T, 16 / sizeof(T)> &value) {
    for (std::size_t i = 0; i < 16 / sizeof(T); ++i) into.at[part * (16 / sizeof(T)) + i] = value.at[i];
    return into;
}
template <class T, std::size_t N>
kalg::vector<T, 16 / sizeof(T)> ext_v(const kalg::vector<T, N> &from, int part) {
    kalg::vector<T, 16 / sizeof(T)> value;
    for (std::size_t i = 0; i < 16 / sizeof(T); ++i) value.at[i] = from.at[part * (16 / sizeof(T)) + i];
    return value;
}

template <class T, std::size_t N>
kalg::vector<T, 2 * N> concat(const kalg::vector<T, N> &low, const kalg::vector<T, N> &high) {
    kalg::vector<T, 2 * N> value;
    for (std::size_t i = 0; i < N; ++i) value.at[i] = low.at[i], value.at[N + i] = high.at[i];
    return value;
}

template <class R, class T, std::size_t N> kalg::vector<R, N> kalg_srs(const kalg::accumulator<T, N> &sum, int shift) {
    const T least = -(T(1) << (8 * sizeof(R) - 1)), greatest = -(least + 1);
    const T half = kalg_rounding == rnd_pos_inf && shift > 0 ? T(1) << (shift - 1) : 0;
    kalg::vector<R, N> value;
    for (std::size_t i = 0; i < N; ++i) {
        T lane = (sum.at[i] + half) >> shift;
        if (kalg_saturation) lane = lane < least ? least : lane > greatest ? greatest : lane;
        value.at[i] = static_cast<R>(lane);
    }
    return value;
}
inline v16int16 srs(const v16acc48 &sum, int shift) { return kalg_srs<std::int16_t>(sum, shift); }
inline v16int8 bsrs(const v16acc48 &sum, int shift) { return kalg_srs<std::int8_t>(sum, shift); }
inline v8int32 srs(const v8acc80 &sum, int shift) { return kalg_srs<std::int32_t>(sum, shift); }

template <class A, class T, std::size_t N> A kalg_ups(const kalg::vector<T, N> &value, int shift) {
    A sum{};
    for (std::size_t i = 0; i < N; ++i) sum.at[i] = (decltype(sum.at[i] + 0))(value.at[i]) * (decltype(sum.at[i] + 0))(1ll << shift);
    return sum;
}
inline v16acc48 ups(const v16int16 &value, int shift) { return kalg_ups<v16acc48>(value, shift); }
inline v8acc80 lups(const v8int32 &value, int shift) { return kalg_ups<v8acc80>(value, shift); }

// 16 lanes × 2 columns of 16-bit data and coefficients.
template <std::size_t N, class = kalg::buffer<std::int16_t, N>>
v16acc48 mac16(v16acc48 sum, const kalg::vector<std::int16_t, N> &x, int xstart, std::uint32_t xoffsets,
               std::uint32_t xoffsets_hi, unsigned xsquare, const v16int16 &z, int zstart, std::uint32_t zoffsets,
               std::uint32_t zoffsets_hi, int zstep) {
    for (unsigned lane = 0; lane < 16; ++lane)
        for (unsigned column = 0; column < 2; ++column)
            sum.at[lane] += kalg::half(x, xstart, xoffsets, xoffsets_hi, xsquare, lane, column) *
                            kalg::coefficient(z, zstart, zoffsets, zoffsets_hi, zstep, lane, column);
    return sum;
}

namespace kalg {

// The same with the sum of two selections of data, or their difference; both take their offsets from xoffsets.
template <int Sign, std::size_t N>
v16acc48 combined(v16acc48 sum, const vector<std::int16_t, N> &x, int xstart, std::uint32_t xoffsets,
                  std::uint32_t xoffsets_hi, unsigned xsquare, const vector<std::int16_t, N> &y, int ystart,
                  unsigned ysquare, const v16int16 &z, int zstart, std::uint32_t zoffsets, std::uint32_t zoffsets_hi,
                  int zstep) {
    for (unsigned lane = 0; lane < 16; ++lane)
        for (unsigned column = 0; column < 2; ++column)
            sum.at[lane] += (half(x, xstart, xoffsets, xoffsets_hi, xsquare, lane, column) +
                             Sign * half(y, ystart, xoffsets, xoffsets_hi, ysquare, lane, column)) *
                            coefficient(z, zstart, zoffsets, zoffsets_hi, zstep, lane, column);
    return sum;
}

}  // namespace kalg

// Both selections from one buffer, or from two of 512 bits.
template <std::size_t N, class = kalg::buffer<std::int16_t, N>>
v16acc48 mac16_sym(v16acc48 sum, const kalg::vector<std::int16_t, N> &x, int xstart, std::uint32_t xoffsets,
                   std::uint32_t xoffsets_hi, unsigned xsquare, int ystart, unsigned ysquare, const v16int16 &z,
                   int zstart, std::uint32_t zoffsets, std::uint32_t zoffsets_hi, int zstep) {
    return kalg::combined<1>(sum, x, xstart, xoffsets, xoffsets_hi, xsquare, x, ystart, ysquare, z, zstart, zoffsets,
                             zoffsets_hi, zstep);
}
inline v16acc48 mac16_sym(v16acc48 sum, const v32int16 &x, int xstart, std::uint32_t xoffsets,
                          std::uint32_t xoffsets_hi, unsigned xsquare, const v32int16 &y, int ystart, unsigned ysquare,
                          const v16int16 &z, int zstart, std::uint32_t zoffsets, std::uint32_t zoffsets_hi, int zstep) {
    return kalg::combined<1>(sum, x, xstart, xoffsets, xoffsets_hi, xsquare, y, ystart, ysquare, z, zstart, zoffsets,
                             zoffsets_hi, zstep);
}
template <class... A> auto mul16_sym(const A &...arguments) -> decltype(mac16_sym(v16acc48{}, arguments...)) {
    return mac16_sym(v16acc48{}, arguments...);
}

template <std::size_t N, class = kalg::buffer<std::int16_t, N>>
v16acc48 mac16_antisym(v16acc48 sum, const kalg::vector<std::int16_t, N> &x, int xstart, std::uint32_t xoffsets,
                       std::uint32_t xoffsets_hi, unsigned xsquare, int ystart, unsigned ysquare, const v16int16 &z,
                       int zstart, std::uint32_t zoffsets, std::uint32_t zoffsets_hi, int zstep) {
    return kalg::combined<-1>(sum, x, xstart, xoffsets, xoffsets_hi, xsquare, x, ystart, ysquare, z, zstart, zoffsets,
                              zoffsets_hi, zstep);
}
inline v16acc48 mac16_antisym(v16acc48 sum, const v32int16 &x, int xstart, std::uint32_t xoffsets,
                              std::uint32_t xoffsets_hi, unsigned xsquare, const v32int16 &y, int ystart,
                              unsigned ysquare, const v16int16 &z, int zstart, std::uint32_t zoffsets,
                              std::uint32_t zoffsets_hi, int zstep) {
    return kalg::combined<-1>(sum, x, xstart, xoffsets, xoffsets_hi, xsquare, y, ystart, ysquare, z, zstart, zoffsets,
                              zoffsets_hi, zstep);
}
template <class... A> auto mul16_antisym(const A &...arguments) -> decltype(mac16_antisym(v16acc48{}, arguments...)) {
    return mac16_antisym(v16acc48{}, arguments...);
}

// 16 lanes × 4 columns of 16-bit data and 8-bit coefficients: the third and fourth columns take what the first two take, xstep
// elements further on. Coefficients come as pairs of bytes, which zsquare hands out to the lanes and columns of a pair.
template <std::size_t N, class = kalg::buffer<std::int16_t, N>>
v16acc48 mac16(v16acc48 sum, const kalg::vector<std::int16_t, N> &x, int xstart, std::uint32_t xoffsets,
               std::uint32_t xoffsets_hi, int xstep, unsigned xsquare, const v32int8 &z, int zstart,
               std::uint32_t zoffsets, std::uint32_t zoffsets_hi, int zstep, unsigned zsquare) {
    const std::uint64_t granules = zoffsets | std::uint64_t(zoffsets_hi) << 32;
    for (unsigned lane = 0; lane < 16; ++lane)
        for (unsigned column = 0; column < 4; ++column) {
            const unsigned place = kalg::nibble(zsquare, 2 * (lane & 1) + column % 2);
            const unsigned granule = kalg::nibble(granules, place < 2 ? lane & ~1u : lane | 1u);
            const unsigned byte = zstart + column / 2 * zstep + 2 * granule + place % 2;
            sum.at[lane] += kalg::half(x, xstart + column / 2 * xstep, xoffsets, xoffsets_hi, xsquare, lane, column % 2) *
                            z.at[byte % 32];
        }
    return sum;
}

// 16 lanes × 8 columns of 8-bit data and coefficients. Four lanes take two granules of four bytes, of which the square hands out
// pairs of bytes: one byte each to two lanes next to each other. The same lanes share two pairs of coefficients.
template <std::size_t N, class = kalg::buffer<std::int8_t, N>>
v16acc48 mac16(v16acc48 sum, const kalg::vector<std::int8_t, N> &x, int xstart, std::uint32_t xoffsets, int xstep,
               unsigned xsquare, const v32int8 &z, int zstart, std::uint32_t zoffsets, int zstep, unsigned zsquare) {
    for (unsigned lane = 0; lane < 16; ++lane)
        for (unsigned column = 0; column < 8; ++column) {
            const unsigned four = lane / 4, pair = kalg::nibble(xsquare, 2 * (lane % 4 / 2) + column % 2);
            const unsigned first = xstart + column / 2 * xstep + 4 * kalg::nibble(xoffsets, 2 * four);
            const unsigned second = first + 4 * (kalg::nibble(xoffsets, 2 * four + 1) + 1);
            const unsigned data = (pair < 2 ? first + 2 * pair : second + 2 * (pair - 2)) + lane % 2;
            const unsigned place = kalg::nibble(zsquare, 2 * (lane % 2) + column % 2);
            const unsigned byte = zstart + column / 2 * zstep +
                                  2 * kalg::nibble(zoffsets, 2 * four + place / 2) + place % 2;
            sum.at[lane] += x.at[data % N] * z.at[byte % 32];
        }
    return sum;
}

template <class... A> auto mul16(const A &...arguments) -> decltype(mac16(v16acc48{}, arguments...)) {
    return mac16(v16acc48{}, arguments...);
}

// 8 lanes of 32-bit data and coefficients.
template <std::size_t N, class = kalg::buffer<std::int32_t, N>>
v8acc80 lmac8(v8acc80 sum, const kalg::vector<std::int32_t, N> &x, int xstart, std::uint32_t xoffsets, const v8int32 &z,
              int zstart, std::uint32_t zoffsets) {
    for (unsigned lane = 0; lane < 8; ++lane)
        sum.at[lane] += __int128(kalg::word(x, xstart, xoffsets, lane)) * kalg::word(z, zstart, zoffsets, lane);
    return sum;
}
template <class... A> auto lmul8(const A &...arguments) -> decltype(lmac8(v8acc80{}, arguments...)) {
    return lmac8(v8acc80{}, arguments...);
}

namespace kalg {

template <int Sign, std::size_t N>
v8acc80 combined(v8acc80 sum, const vector<std::int32_t, N> &x, int xstart, std::uint32_t xoffsets,
                 const vector<std::int32_t, N> &y, int ystart, const v8int32 &z, int zstart, std::uint32_t zoffsets) {
    for (unsigned lane = 0; lane < 8; ++lane)
        sum.at[lane] += __int128(word(x, xstart, xoffsets, lane) + Sign * word(y, ystart, xoffsets, lane)) *
                        word(z, zstart, zoffsets, lane);
    return sum;
}

}  // namespace kalg

template <std::size_t N, class = kalg::buffer<std::int32_t, N>>
v8acc80 lmac8_sym(v8acc80 sum, const kalg::vector<std::int32_t, N> &x, int xstart, std::uint32_t xoffsets, int ystart,
                  const v8int32 &z, int zstart, std::uint32_t zoffsets) {
    return kalg::combined<1>(sum, x, xstart, xoffsets, x, ystart, z, zstart, zoffsets);
}
inline v8acc80 lmac8_sym(v8acc80 sum, const v16int32 &x, int xstart, std::uint32_t xoffsets, const v16int32 &y,
                         int ystart, const v8int32 &z, int zstart, std::uint32_t zoffsets) {
    return kalg::combined<1>(sum, x, xstart, xoffsets, y, ystart, z, zstart, zoffsets);
}
template <class... A> auto lmul8_sym(const A &...arguments) -> decltype(lmac8_sym(v8acc80{}, arguments...)) {
    return lmac8_sym(v8acc80{}, arguments...);
}

template <std::size_t N, class = kalg::buffer<std::int32_t, N>>
v8acc80 lmac8_antisym(v8acc80 sum, const kalg::vector<std::int32_t, N> &x, int xstart, std::uint32_t xoffsets,
                      int ystart, const v8int32 &z, int zstart, std::uint32_t zoffsets) {
    return kalg::combined<-1>(sum, x, xstart, xoffsets, x, ystart, z, zstart, zoffsets);
}
inline v8acc80 lmac8_antisym(v8acc80 sum, const v16int32 &x, int xstart, std::uint32_t xoffsets, const v16int32 &y,
                             int ystart, const v8int32 &z, int zstart, std::uint32_t zoffsets) {
    return kalg::combined<-1>(sum, x, xstart, xoffsets, y, ystart, z, zstart, zoffsets);
}
template <class... A> auto lmul8_antisym(const A &...arguments) -> decltype(lmac8_antisym(v8acc80{}, arguments...)) {
    return lmac8_antisym(v8acc80{}, arguments...);
}

#endif  // __chess__
