// What is not read, each reported where it stands.
void adaptive(const int16_t *in, int16_t *out, int width) {
    v32int16 data = concat(*(v16int16 *)in, *(v16int16 *)(in + 16));
    v16int16 z = aie::broadcast<int16, 16>(3);
    do {
        data = shuffle(data);
    } while (width > 0);
    float gain = 0.5f;
    out[0] = in.get(3);
}
