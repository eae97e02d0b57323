// Streams that hold a bounded number of words, and processes with a thread each, so that a stream that is too short stops the program as it
// stops the circuit: a stand-in for the vendor's header. KALG_STREAM_PATIENCE is for how many seconds nothing may move.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#ifndef KALG_STREAM_PATIENCE
#define KALG_STREAM_PATIENCE 20
#endif

// The words of a stream as bytes, in the order of their arrival. Streams of all types share it: a compiler is spared the rest.
class kalg_words {
  const std::size_t bytes, depth;
  std::mutex mutex;
  std::condition_variable moved;
  std::deque<unsigned char> held;

  template <class READY>
  void wait(std::unique_lock<std::mutex> &lock, const char *what, READY ready) {
    if (!moved.wait_for(lock, std::chrono::seconds(KALG_STREAM_PATIENCE), ready)) {
      std::fprintf(stderr, "deadlock: %s of a stream of %d words waits for ever\n", what, (int)depth);
      std::_Exit(3);
    }
  }

 public:
  kalg_words(std::size_t bytes, std::size_t depth) : bytes(bytes), depth(depth) {}

  void write(const void *word) {
    const unsigned char *const first = static_cast<const unsigned char *>(word);
    std::unique_lock<std::mutex> lock(mutex);
    wait(lock, "the writer", [&] { return depth == 0 || held.size() < depth * bytes; });
    held.insert(held.end(), first, first + bytes);
    moved.notify_all();
  }

  void read(void *word) {
    std::unique_lock<std::mutex> lock(mutex);
    wait(lock, "the reader", [&] { return !held.empty(); });
    const auto last = held.begin() + (std::ptrdiff_t)bytes;
    std::copy(held.begin(), last, static_cast<unsigned char *>(word));
    held.erase(held.begin(), last);
    moved.notify_all();
  }

  bool empty() {
    std::unique_lock<std::mutex> lock(mutex);
    return held.empty();
  }
};

namespace hls {

// Streams that are ports, DEPTH 0, hold any number of words.
template <class T, int DEPTH = 0>
class stream {
  static_assert(std::is_trivially_copyable<T>::value, "words are copied as bytes");
  kalg_words words;

 public:
  stream() : words(sizeof(T), DEPTH) {}
  explicit stream(const char *) : stream() {}
  stream(const stream &) = delete;

  void write(const T &word) { words.write(&word); }
  T read() {
    T word;
    words.read(&word);
    return word;
  }
  bool empty() { return words.empty(); }
};

}  // namespace hls

// Processes that run beside one another until the end of their block.
struct kalg_processes {
  std::vector<std::thread> threads;
  ~kalg_processes() {
    for (std::thread &thread : threads) thread.join();
  }
};
#define KALG_PROCESSES kalg_processes kalg_started
#define KALG_PROCESS(...) kalg_started.threads.emplace_back(std::function<void()>([&] { __VA_ARGS__; }))
