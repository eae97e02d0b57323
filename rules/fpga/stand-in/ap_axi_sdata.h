// A word of AXI4-Stream: a stand-in for the vendor's header.
#pragma once

namespace hls {

template <class T, int USER, int ID, int DEST>
struct axis {
  T data;
  bool last;
};

}  // namespace hls
