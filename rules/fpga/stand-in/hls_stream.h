// Streams that hold a bounded number of words, and processes with a thread each, so that a stream that is too short stops the program as it
// stops the circuit: a stand-in for the vendor's header. KALG_STREAM_PATIENCE is for how many seconds nothing may move.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#ifndef KALG_STREAM_PATIENCE
#define KALG_STREAM_PATIENCE 20
#endif

namespace hls {

// Streams that are ports, DEPTH 0, hold any number of words.
template <class T, int DEPTH = 0>
class stream {
  std::mutex mutex;
  std::condition_variable moved;
  std::deque<T> words;

  template <class READY>
  void wait(std::unique_lock<std::mutex> &lock, const char *what, READY ready) {
    if (!moved.wait_for(lock, std::chrono::seconds(KALG_STREAM_PATIENCE), ready)) {
      std::fprintf(stderr, "deadlock: %s of a stream of %d words waits for ever\n", what, DEPTH);
      std::_Exit(3);
    }
  }

 public:
  stream() {}
  explicit stream(const char *) {}
  stream(const stream &) = delete;

  void write(const T &word) {
    std::unique_lock<std::mutex> lock(mutex);
    wait(lock, "the writer", [&] { return DEPTH == 0 || (int)words.size() < DEPTH; });
    words.push_back(word);
    moved.notify_all();
  }

  T read() {
    std::unique_lock<std::mutex> lock(mutex);
    wait(lock, "the reader", [&] { return !words.empty(); });
    T word = words.front();
    words.pop_front();
    moved.notify_all();
    return word;
  }

  bool empty() {
    std::unique_lock<std::mutex> lock(mutex);
    return words.empty();
  }
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
#define KALG_PROCESS(...) kalg_started.threads.emplace_back([&] { __VA_ARGS__; })
