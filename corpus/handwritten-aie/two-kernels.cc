// Two kernels in one source, and a program that tries them, which is not looked at.
alignas(32) static const int32_t k[8] = {1, -1};

void difference_east(const int32_t *in, int32_t *out) {
    v16int32 x = concat(*(v8int32 *)in, *(v8int32 *)(in + 8));
    v8acc80 sum = lmul8(x, 1, 0x76543210, *(v8int32 *)k, 0, 0);
    *(v8int32 *)out = srs(lmac8(sum, x, 0, 0x76543210, *(v8int32 *)k, 1, 0), 0);
}

void difference_twice(const int32_t *in, int32_t *out) {
    v16int32 x = concat(*(v8int32 *)in, *(v8int32 *)(in + 8));
    v8acc80 sum = lmul8(x, 2, 0x76543210, *(v8int32 *)k, 0, 0);
    *(v8int32 *)out = srs(lmac8(sum, x, 0, 0x76543210, *(v8int32 *)k, 1, 0), 0);
}

int main() {
    int32_t image[16] = {}, result[8];
    for (auto &pixel : image) pixel = std::rand();
    difference_east(image, result);
    return result[0] == 0 ? 0 : 1;
}
