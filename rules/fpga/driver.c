#ifndef PIPELINE_DRIVER
#define PIPELINE_DRIVER

#include <stddef.h>
#include <stdint.h>

/* SIZES */

/* What went wrong, or nothing. After an error of the DMA or of a frame, and after a time-out, `pipeline_open` begins anew. */
enum pipeline_status {
  PIPELINE_OK = 0,
  PIPELINE_NOT_IDLE,          /* two tiles are on their way, or one where none may be */
  PIPELINE_NOTHING_STARTED,   /* there is no tile to wait for */
  PIPELINE_BAD_MEMORY,        /* the memory for descriptors is too small, or not at a multiple of 64 bytes */
  PIPELINE_BAD_BUFFER,        /* a buffer has no address, or words of another size: input and output are confused */
  PIPELINE_BAD_SIZE,          /* the pictures do not go together, are smaller than a tile, or no whole units; or the place of a tile is so */
  PIPELINE_BAD_STRIDE,        /* rows overlap */
  PIPELINE_BAD_ALIGNMENT,     /* an address, a stride or a row is not a multiple of PIPELINE_ALIGNMENT bytes */
  PIPELINE_NO_SCATTER_GATHER, /* the DMA was made without descriptors */
  PIPELINE_TIMEOUT,           /* nothing came in PIPELINE_SPINS looks */
  PIPELINE_BAD_FRAME,         /* the results ended too early or too late */
  PIPELINE_DMA_INTERNAL,      /* the DMA's own errors: of data … */
  PIPELINE_DMA_SLAVE,
  PIPELINE_DMA_DECODE,
  PIPELINE_SG_INTERNAL, /* … and of descriptors */
  PIPELINE_SG_SLAVE,
  PIPELINE_SG_DECODE
};

/* A picture in memory: rows of words. The input has its margins around it, so its first word is north-west of the picture. */
struct pipeline_buffer {
  void *address;        /* of the first word, as this program sees it */
  uint64_t bus;         /* of the same word, as the DMA sees it */
  size_t width, height; /* columns and rows of the picture, without margins */
  size_t stride;        /* bytes from a row to the next */
  size_t word;          /* bytes of a word, for one pixel a clock those of a pixel with all its samples */
};

/* The DMA and its descriptors. */
struct pipeline_device {
  volatile uint32_t *registers;
  volatile uint32_t *descriptors;
  uint64_t bus;
  unsigned next, queued; /* the set for the next tile, and the tiles on their way */
};

/* Buffers for a picture of this size, with rows next to one another; the stride may be changed. */
struct pipeline_buffer pipeline_input(void *address, uint64_t bus, size_t width, size_t height);
struct pipeline_buffer pipeline_output(void *address, uint64_t bus, size_t width, size_t height);

/* The bytes that a buffer takes. */
size_t pipeline_input_bytes(const struct pipeline_buffer *input);
size_t pipeline_output_bytes(const struct pipeline_buffer *output);

/* The bytes that descriptors take. */
size_t pipeline_descriptor_bytes(void);

/* Resets the DMA and gives it its descriptors, in memory that both see. */
enum pipeline_status pipeline_open(struct pipeline_device *device, volatile uint32_t *registers, void *memory, uint64_t bus,
                                   size_t bytes);

/* Starts the tile whose results begin at this pixel of the input, and does not wait. Two tiles may be on their way. */
enum pipeline_status pipeline_start(struct pipeline_device *device, const struct pipeline_buffer *input,
                                    const struct pipeline_buffer *output, size_t x, size_t y);

/* Waits for the tile that was started first. */
enum pipeline_status pipeline_wait(struct pipeline_device *device);

/* Computes a picture, tile by tile. Margins must be filled. The last tiles of rows and columns begin where they end with the
   picture, so some results are computed twice. */
enum pipeline_status pipeline_run(struct pipeline_device *device, const struct pipeline_buffer *input,
                                  const struct pipeline_buffer *output);

/* DECLARATIONS */

#endif

#ifndef PIPELINE_DECLARATIONS

/* What a system may define before: how registers are read and written, what makes memory the same for both sides, and what is done
   between two looks. The defaults are for memory that is coherent. */
#ifndef PIPELINE_READ
#define PIPELINE_READ(registers, offset) ((registers)[(offset) / 4])
#endif
#ifndef PIPELINE_WRITE
#define PIPELINE_WRITE(registers, offset, value) ((void)((registers)[(offset) / 4] = (value)))
#endif
#ifndef PIPELINE_BARRIER
#define PIPELINE_BARRIER() ((void)0)
#endif
#ifndef PIPELINE_PAUSE
#define PIPELINE_PAUSE() ((void)0)
#endif
#ifndef PIPELINE_SPINS
#define PIPELINE_SPINS 100000000
#endif
/* The bytes of the DMA's stream where it was made without its re-alignment engine, otherwise 1. */
#ifndef PIPELINE_ALIGNMENT
#define PIPELINE_ALIGNMENT 1
#endif
/* The width of the DMA's register for lengths. */
#ifndef PIPELINE_LENGTH_BITS
#define PIPELINE_LENGTH_BITS 14
#endif

/* The registers of AXI DMA, scatter/gather mode; AMD's guide PG021 for version 7.1, tables of the register space. */
enum {
  MM2S_ = 0x00, /* memory to stream */
  S2MM_ = 0x30, /* stream to memory */
  DMACR_ = 0x00,
  DMASR_ = 0x04,
  CURDESC_ = 0x08,
  TAILDESC_ = 0x10,
  CR_RUN_ = 1 << 0,
  CR_RESET_ = 1 << 2,
  SR_HALTED_ = 1 << 0,
  SR_SCATTER_GATHER_ = 1 << 3
};

/* A descriptor, in words of 32 bits (PG021, scatter gather descriptor); it stands at a multiple of 64 bytes. Descriptors of two
   dimensions exist in multichannel mode only, so there is one for each row. */
enum { NEXT_ = 0, ADDRESS_ = 2, CONTROL_ = 6, STATUS_ = 7, WORDS_ = 16, DESCRIPTOR_ = 64 };
/* Two tiles may be on their way. There is a third set, so that the DMA never stands at the descriptor that becomes the tail. */
enum { QUEUE_ = 2, SETS_ = QUEUE_ + 1 };
#define FIRST_ UINT32_C(0x08000000)    /* control: the packet begins */
#define LAST_ UINT32_C(0x04000000)     /* control: it ends; status: so it did */
#define COMPLETE_ UINT32_C(0x80000000) /* status */
#define LENGTH_ UINT32_C(0x03ffffff)

/* Rows that go in and come out for a tile, and the bytes of each. */
enum {
  IN_ROWS_ = PIPELINE_NORTH + PIPELINE_TILE_HEIGHT + PIPELINE_SOUTH,
  OUT_ROWS_ = PIPELINE_TILE_HEIGHT / PIPELINE_EVERY_ROWS,
  IN_BYTES_ = (PIPELINE_WEST + PIPELINE_TILE_WIDTH + PIPELINE_EAST) / PIPELINE_LANES * PIPELINE_INPUT_WORD,
  OUT_BYTES_ = PIPELINE_TILE_WIDTH / PIPELINE_EVERY_COLUMNS / PIPELINE_RESULT_LANES * PIPELINE_OUTPUT_WORD
};
typedef char pipeline_rows_fit_in_a_descriptor
    [IN_BYTES_ < (1 << PIPELINE_LENGTH_BITS) && OUT_BYTES_ < (1 << PIPELINE_LENGTH_BITS) ? 1 : -1];

static size_t in_row_(size_t width) {
  return (PIPELINE_WEST + width + PIPELINE_EAST) / PIPELINE_LANES * PIPELINE_INPUT_WORD;
}

static size_t out_row_(size_t width) { return width / PIPELINE_RESULT_LANES * PIPELINE_OUTPUT_WORD; }

struct pipeline_buffer pipeline_input(void *address, uint64_t bus, size_t width, size_t height) {
  const struct pipeline_buffer buffer = {address, bus, width, height, in_row_(width), PIPELINE_INPUT_WORD};
  return buffer;
}

struct pipeline_buffer pipeline_output(void *address, uint64_t bus, size_t width, size_t height) {
  const struct pipeline_buffer buffer = {address, bus, width, height, out_row_(width), PIPELINE_OUTPUT_WORD};
  return buffer;
}

size_t pipeline_input_bytes(const struct pipeline_buffer *input) {
  return (PIPELINE_NORTH + input->height + PIPELINE_SOUTH) * input->stride;
}

size_t pipeline_output_bytes(const struct pipeline_buffer *output) { return output->height * output->stride; }

size_t pipeline_descriptor_bytes(void) { return (size_t)DESCRIPTOR_ * SETS_ * (IN_ROWS_ + OUT_ROWS_); }

/* An address in two registers or words. The DMA acts on the upper half where its addresses have one, otherwise on the lower. */
static void send_(const struct pipeline_device *device, uint32_t offset, uint64_t address) {
  PIPELINE_WRITE(device->registers, offset, (uint32_t)address);
  PIPELINE_WRITE(device->registers, offset + 4, (uint32_t)(address >> 32));
}

static void store_(volatile uint32_t *words, uint64_t address) {
  words[0] = (uint32_t)address;
  words[1] = (uint32_t)(address >> 32);
}

/* The number of a descriptor: those of the input come first, set by set. */
static size_t number_(int is_output, unsigned set, size_t row) {
  return is_output ? (size_t)SETS_ * IN_ROWS_ + (size_t)set * OUT_ROWS_ + row : (size_t)set * IN_ROWS_ + row;
}

/* Links the descriptors of all sets to a ring, and lets the channel run as far as it is told. */
static enum pipeline_status ring_(const struct pipeline_device *device, int is_output) {
  const uint32_t channel = is_output ? S2MM_ : MM2S_;
  const size_t rows = is_output ? OUT_ROWS_ : IN_ROWS_, first = number_(is_output, 0, 0);
  for (size_t at = 0; at < SETS_ * rows; at++) {
    volatile uint32_t *own = device->descriptors + (first + at) * WORDS_;
    for (size_t word = 0; word < WORDS_; word++) own[word] = 0;
    store_(own + NEXT_, device->bus + (first + (at + 1) % (SETS_ * rows)) * DESCRIPTOR_);
  }
  PIPELINE_BARRIER();
  send_(device, channel + CURDESC_, device->bus + first * DESCRIPTOR_);
  PIPELINE_WRITE(device->registers, channel + DMACR_, CR_RUN_);
  for (long spin = 0; spin < PIPELINE_SPINS; spin++) {
    if (!(PIPELINE_READ(device->registers, channel + DMASR_) & SR_HALTED_)) return PIPELINE_OK;
    PIPELINE_PAUSE();
  }
  return PIPELINE_TIMEOUT;
}

enum pipeline_status pipeline_open(struct pipeline_device *device, volatile uint32_t *registers, void *memory, uint64_t bus,
                                   size_t bytes) {
  const struct pipeline_device opened = {registers, memory, bus, 0, 0};
  *device = opened;
  if (!memory || (uintptr_t)memory % DESCRIPTOR_ || bus % DESCRIPTOR_ || bytes < pipeline_descriptor_bytes()) return PIPELINE_BAD_MEMORY;
  /* A reset by one channel is one of both. */
  PIPELINE_WRITE(registers, MM2S_ + DMACR_, CR_RESET_);
  long spin = 0;
  while ((PIPELINE_READ(registers, MM2S_ + DMACR_) | PIPELINE_READ(registers, S2MM_ + DMACR_)) & CR_RESET_) {
    if (++spin >= PIPELINE_SPINS) return PIPELINE_TIMEOUT;
    PIPELINE_PAUSE();
  }
  if (!(PIPELINE_READ(registers, MM2S_ + DMASR_) & PIPELINE_READ(registers, S2MM_ + DMASR_) & SR_SCATTER_GATHER_))
    return PIPELINE_NO_SCATTER_GATHER;
  const enum pipeline_status status = ring_(device, 0);
  return status == PIPELINE_OK ? ring_(device, 1) : status;
}

/* Whether two buffers are of one picture that tiles can cover. */
static enum pipeline_status check_(const struct pipeline_buffer *input, const struct pipeline_buffer *output) {
  const size_t width = input->width, height = input->height;
  if (!input->address || !output->address || input->word != PIPELINE_INPUT_WORD || output->word != PIPELINE_OUTPUT_WORD)
    return PIPELINE_BAD_BUFFER;
  if (output->width * PIPELINE_EVERY_COLUMNS != width || output->height * PIPELINE_EVERY_ROWS != height) return PIPELINE_BAD_SIZE;
  if (width != PIPELINE_TILE_WIDTH || height != PIPELINE_TILE_HEIGHT) {
    if (!PIPELINE_IS_TILED || width < PIPELINE_TILE_WIDTH || height < PIPELINE_TILE_HEIGHT) return PIPELINE_BAD_SIZE;
    if (width % PIPELINE_UNIT_COLUMNS || height % PIPELINE_UNIT_ROWS) return PIPELINE_BAD_SIZE;
  }
  if (input->stride < in_row_(width) || output->stride < out_row_(output->width)) return PIPELINE_BAD_STRIDE;
  if ((input->bus | input->stride | output->bus | output->stride | IN_BYTES_ | OUT_BYTES_) % PIPELINE_ALIGNMENT)
    return PIPELINE_BAD_ALIGNMENT;
  return PIPELINE_OK;
}

/* Writes the descriptors of a set: a packet of rows. Returns where the last one stands, for the DMA. */
static uint64_t packet_(const struct pipeline_device *device, int is_output, uint64_t address, size_t stride) {
  const size_t rows = is_output ? OUT_ROWS_ : IN_ROWS_, first = number_(is_output, device->next, 0);
  for (size_t row = 0; row < rows; row++) {
    volatile uint32_t *own = device->descriptors + (first + row) * WORDS_;
    const uint32_t ends = is_output ? 0 : (row == 0 ? FIRST_ : 0) | (row == rows - 1 ? LAST_ : 0);
    store_(own + ADDRESS_, address + row * stride);
    own[CONTROL_] = ends | (uint32_t)(is_output ? OUT_BYTES_ : IN_BYTES_);
    own[STATUS_] = 0;
  }
  return device->bus + (first + rows - 1) * DESCRIPTOR_;
}

enum pipeline_status pipeline_start(struct pipeline_device *device, const struct pipeline_buffer *input,
                                    const struct pipeline_buffer *output, size_t x, size_t y) {
  const enum pipeline_status status = check_(input, output);
  if (status != PIPELINE_OK) return status;
  if (x % PIPELINE_UNIT_COLUMNS || y % PIPELINE_UNIT_ROWS || x > input->width - PIPELINE_TILE_WIDTH ||
      y > input->height - PIPELINE_TILE_HEIGHT)
    return PIPELINE_BAD_SIZE;
  if (device->queued == QUEUE_) return PIPELINE_NOT_IDLE;
  /* The margins of a tile begin as far into the buffer as its results into the picture. */
  const uint64_t from = input->bus + y * input->stride + x / PIPELINE_LANES * PIPELINE_INPUT_WORD;
  const uint64_t to = output->bus + y / PIPELINE_EVERY_ROWS * output->stride +
                      x / PIPELINE_EVERY_COLUMNS / PIPELINE_RESULT_LANES * PIPELINE_OUTPUT_WORD;
  if ((from | to) % PIPELINE_ALIGNMENT) return PIPELINE_BAD_ALIGNMENT;
  const uint64_t in_tail = packet_(device, 0, from, input->stride), out_tail = packet_(device, 1, to, output->stride);
  PIPELINE_BARRIER();
  send_(device, S2MM_ + TAILDESC_, out_tail);
  send_(device, MM2S_ + TAILDESC_, in_tail);
  device->next = (device->next + 1) % SETS_;
  device->queued++;
  return PIPELINE_OK;
}

/* The error bits of a status register. */
static enum pipeline_status errors_(uint32_t status) {
  static const enum pipeline_status of[] = {PIPELINE_DMA_INTERNAL, PIPELINE_DMA_SLAVE, PIPELINE_DMA_DECODE, PIPELINE_OK,
                                            PIPELINE_SG_INTERNAL,  PIPELINE_SG_SLAVE,  PIPELINE_SG_DECODE};
  for (unsigned bit = 0; bit < sizeof of / sizeof *of; bit++)
    if (status >> (bit + 4) & 1 && of[bit] != PIPELINE_OK) return of[bit];
  return PIPELINE_OK;
}

/* What the descriptors of a set say of the results. */
static enum pipeline_status results_(const struct pipeline_device *device, unsigned set) {
  for (size_t row = 0; row < OUT_ROWS_; row++) {
    const uint32_t status = device->descriptors[number_(1, set, row) * WORDS_ + STATUS_];
    if (!(status & COMPLETE_)) return PIPELINE_TIMEOUT;
    if ((status & LENGTH_) != OUT_BYTES_ || !(status & LAST_) != (row != OUT_ROWS_ - 1)) return PIPELINE_BAD_FRAME;
  }
  return PIPELINE_OK;
}

enum pipeline_status pipeline_wait(struct pipeline_device *device) {
  if (device->queued == 0) return PIPELINE_NOTHING_STARTED;
  const unsigned set = (device->next + SETS_ - device->queued) % SETS_;
  const size_t in_last = number_(0, set, IN_ROWS_ - 1), out_last = number_(1, set, OUT_ROWS_ - 1);
  for (long spin = 0; spin < PIPELINE_SPINS; spin++) {
    for (uint32_t channel = MM2S_; channel <= S2MM_; channel += S2MM_) {
      const enum pipeline_status status = errors_(PIPELINE_READ(device->registers, channel + DMASR_));
      if (status != PIPELINE_OK) return status;
    }
    PIPELINE_BARRIER();
    if (device->descriptors[in_last * WORDS_ + STATUS_] & device->descriptors[out_last * WORDS_ + STATUS_] & COMPLETE_) break;
    PIPELINE_PAUSE();
  }
  const enum pipeline_status status = results_(device, set);
  if (status == PIPELINE_OK) device->queued--;
  return status;
}

/* Where the tile after this one begins, or the end: the last tile ends with the picture. */
static size_t after_(size_t at, size_t tile, size_t size) {
  if (at + tile >= size) return size;
  return at + 2 * tile <= size ? at + tile : size - tile;
}

enum pipeline_status pipeline_run(struct pipeline_device *device, const struct pipeline_buffer *input,
                                  const struct pipeline_buffer *output) {
  enum pipeline_status status = device->queued ? PIPELINE_NOT_IDLE : check_(input, output);
  for (size_t y = 0; status == PIPELINE_OK && y < input->height; y = after_(y, PIPELINE_TILE_HEIGHT, input->height)) {
    for (size_t x = 0; status == PIPELINE_OK && x < input->width; x = after_(x, PIPELINE_TILE_WIDTH, input->width)) {
      if (device->queued == QUEUE_) status = pipeline_wait(device);
      if (status == PIPELINE_OK) status = pipeline_start(device, input, output, x, y);
    }
  }
  while (status == PIPELINE_OK && device->queued) status = pipeline_wait(device);
  return status;
}

/* The bits of a sample in a row of words. */
static uint64_t sample_(const unsigned char *word, unsigned at, unsigned bits) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < bits; bit++) value |= (uint64_t)(word[(at + bit) / 8] >> (at + bit) % 8 & 1) << bit;
  return value;
}

static void set_sample_(unsigned char *word, unsigned at, unsigned bits, uint64_t value) {
  for (unsigned bit = 0; bit < bits; bit++) {
    const unsigned mask = 1U << (at + bit) % 8;
    unsigned char *byte = word + (at + bit) / 8;
    *byte = (unsigned char)(value >> bit & 1 ? *byte | mask : *byte & ~mask);
  }
}

static unsigned char *in_word_(const struct pipeline_buffer *input, ptrdiff_t x, ptrdiff_t y) {
  return (unsigned char *)input->address + (size_t)(y + PIPELINE_NORTH) * input->stride +
         (size_t)(x + PIPELINE_WEST) / PIPELINE_LANES * PIPELINE_INPUT_WORD;
}

static unsigned char *out_word_(const struct pipeline_buffer *output, ptrdiff_t x, ptrdiff_t y) {
  return (unsigned char *)output->address + (size_t)y * output->stride + (size_t)x / PIPELINE_RESULT_LANES * PIPELINE_OUTPUT_WORD;
}

/* DEFINITIONS */

#endif
