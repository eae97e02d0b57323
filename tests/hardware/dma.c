/* A model of the DMA that the driver is for, in the place of its registers and memory. It works only while the driver waits. What the
   design makes of a packet comes from the standard input: the test computes it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = 1 << 20, MM2S = 0, S2MM = 1 };
static const uint64_t BUS = UINT64_C(0x123450000); /* where the DMA sees the arena */
static unsigned char room[ARENA + 64];

struct channel {
  uint32_t control, status;
  uint64_t current, tail;
  int moved;   /* the tail was written */
  int fetches; /* `current` is the next descriptor, not the last one */
};
static struct channel channels[2];
static const char *fault = "";
static int packets, moves;

static unsigned char *arena(void) { return room + (64 - (uintptr_t)room % 64) % 64; }

static void wrong(const char *what) {
  printf("wrong %s\n", what);
  exit(0);
}

static int is(const char *name) { return strcmp(fault, name) == 0; }

static unsigned char *at(uint64_t bus, size_t bytes) {
  return bus < BUS || bus + bytes > BUS + ARENA ? NULL : arena() + (bus - BUS);
}

static void reset(void) {
  for (int n = 0; n < 2; n++) {
    memset(&channels[n], 0, sizeof channels[n]);
    channels[n].status = 1 | (is("registers") ? 0 : 8);
  }
}

uint32_t model_read(uint32_t offset) {
  const struct channel *own = &channels[offset >= 0x30];
  return offset % 0x30 == 0 ? own->control : offset % 0x30 == 4 ? own->status : 0;
}

static void put_half(uint64_t *address, int is_upper, uint32_t value) {
  const int shift = is_upper ? 32 : 0;
  *address = (*address & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)value << shift;
}

void model_write(uint32_t offset, uint32_t value) {
  struct channel *own = &channels[offset >= 0x30];
  switch (offset % 0x30) {
    case 0x00:
      if (value & 4) {
        reset();
      } else {
        own->control = value;
        if (value & 1) own->status &= ~1U;
      }
      break;
    case 0x08:
    case 0x0c:
      if (!(own->status & 1)) wrong("the current descriptor is written while the channel runs");
      if (offset % 0x30 == 8 && value % 64) wrong("a descriptor is not aligned");
      put_half(&own->current, offset % 0x30 == 0x0c, value);
      own->fetches = 1;
      break;
    case 0x10:
    case 0x14:
      if (own->status & 1) wrong("the tail is written while the channel is halted");
      put_half(&own->tail, offset % 0x30 == 0x14, value);
      if (offset % 0x30 == 0x14) {
        own->moved = 1;
        own->status &= ~2U;
        if (own == channels) moves++;
      }
      break;
    default:
      wrong("this register is not to be written");
  }
}

/* The next descriptor of a channel, as words; none if it has no more or stops with an error. */
static uint32_t *next(struct channel *own) {
  if (!own->moved || own->status & 0x770) return NULL;
  if (!own->fetches) {
    uint32_t *last = (uint32_t *)(void *)at(own->current, 64);
    if (own->current == own->tail) {
      own->status |= 2;
      own->moved = 0;
      return NULL;
    }
    own->current = last[0] | (uint64_t)last[1] << 32;
  }
  own->fetches = 0;
  uint32_t *words = (uint32_t *)(void *)at(own->current, 64);
  if (!words) own->status |= 0x400;
  else if (words[7] >> 31) own->status |= 0x100;
  return own->status & 0x770 ? NULL : words;
}

/* Reads a packet, as descriptors say. */
static size_t gather(unsigned char *packet) {
  size_t all = 0;
  for (int row = 0;; row++) {
    uint32_t *words = next(&channels[MM2S]);
    if (!words) return 0;
    const size_t bytes = words[6] & 0x3ffffff;
    const unsigned char *from = at(words[2] | (uint64_t)words[3] << 32, bytes);
    if (!(words[6] >> 27 & 1) != (row > 0)) wrong("the first descriptor of a packet is not marked");
    if (!from) channels[MM2S].status |= 0x40;
    if (is("slave") && packets == 1) channels[MM2S].status |= 0x20;
    if (channels[MM2S].status & 0x70) return 0;
    memcpy(packet + all, from, bytes);
    all += bytes;
    words[7] = UINT32_C(0x80000000) | (uint32_t)bytes;
    if (words[6] >> 26 & 1) return all;
  }
}

/* Writes a packet. */
static void scatter(const unsigned char *packet, size_t all) {
  for (size_t from = 0; from < all;) {
    uint32_t *words = next(&channels[S2MM]);
    if (!words) return;
    size_t bytes = words[6] & 0x3ffffff;
    unsigned char *to = at(words[2] | (uint64_t)words[3] << 32, bytes);
    if (!to) channels[S2MM].status |= 0x40;
    if (!to) return;
    if (bytes > all - from) bytes = all - from;
    memcpy(to, packet + from, bytes);
    words[7] = UINT32_C(0x80000000) | (from == 0 ? UINT32_C(1) << 27 : 0) | (uint32_t)bytes;
    from += bytes;
    if (from == all) words[7] |= UINT32_C(1) << 26;
  }
}

/* One packet goes through. */
void model_pause(void) {
  static unsigned char packet[ARENA];
  if (is("dead")) return;
  size_t bytes = gather(packet);
  if (bytes == 0) return;
  packets++;
  printf("packet ");
  for (size_t n = 0; n < bytes; n++) printf("%02x", packet[n]);
  printf("\n");
  fflush(stdout);
  int byte = scanf("%zu", &bytes);
  for (size_t n = 0; byte == 1 && n < bytes; n++) {
    unsigned value = 0;
    byte = scanf("%2x", &value);
    packet[n] = (unsigned char)value;
  }
  if (byte != 1) wrong("there is no result");
  scatter(packet, is("short") ? bytes - PIPELINE_OUTPUT_WORD : bytes);
}

/* DRIVEN */

static void say(const char *what, enum pipeline_status status) { printf("%s %d\n", what, (int)status); }

int main(int count, char **arguments) {
  if (count < 4) return 1;
  const size_t width = (size_t)atoi(arguments[1]), height = (size_t)atoi(arguments[2]), spare = 3 * PIPELINE_INPUT_WORD;
  fault = arguments[3];
  reset();
  struct pipeline_buffer input = pipeline_input(NULL, 0, width, height);
  struct pipeline_buffer output =
      pipeline_output(NULL, 0, width / PIPELINE_EVERY_COLUMNS, height / PIPELINE_EVERY_ROWS);
  input.stride += spare;
  output.stride += 5;
  const size_t table = pipeline_descriptor_bytes(), ins = pipeline_input_bytes(&input), outs = pipeline_output_bytes(&output);
  if (table + ins + outs > ARENA) return 1;
  input.address = arena() + table;
  output.address = arena() + table + ins;
  input.bus = BUS + table;
  output.bus = BUS + table + ins;
  memset(output.address, 0xa5, outs);
  read_pictures(&input);
  struct pipeline_device device;
  say("small", pipeline_open(&device, NULL, arena(), BUS, table - 1));
  say("apart", pipeline_open(&device, NULL, arena() + 32, BUS + 32, table));
  enum pipeline_status status = pipeline_open(&device, NULL, arena(), BUS, table);
  say("open", status);
  if (status != PIPELINE_OK) return 0;
  say("nothing", pipeline_wait(&device));
  struct pipeline_buffer other = output;
  other.stride = 1;
  say("stride", pipeline_start(&device, &input, &other, 0, 0));
  other = output;
  other.height++;
  say("size", pipeline_start(&device, &input, &other, 0, 0));
  say("place", pipeline_start(&device, &input, &output, width - PIPELINE_TILE_WIDTH + PIPELINE_UNIT_COLUMNS, 0));
  other = output;
  other.address = NULL;
  say("buffer", pipeline_start(&device, &input, &other, 0, 0));
  alignment = 64;
  say("alignment", pipeline_start(&device, &input, &output, 0, 0));
  alignment = 1;
  if (is("queue")) {
    for (int n = 0; n < 3; n++) say("start", pipeline_start(&device, &input, &output, 0, 0));
    say("busy", pipeline_run(&device, &input, &output));
    printf("packets %d\n", packets);
    for (int n = 0; n < 3; n++) say("wait", pipeline_wait(&device));
    return 0;
  }
  if (is("decode")) input.bus = 64;
  say("run", pipeline_run(&device, &input, &output));
  printf("moves %d\n", moves);
  if (is("slave")) {
    fault = "";
    say("again", pipeline_open(&device, NULL, arena(), BUS, table));
    say("run", pipeline_run(&device, &input, &output));
  }
  write_pictures(&output);
  return 0;
}
