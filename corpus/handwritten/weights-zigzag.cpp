// A convolution from a table of weights: the image is moved row by row, there and back, and added where the weight says so.
constexpr int SIZE = 3;
const int8_t weights[SIZE * SIZE] = {
     1, 0, -1,
     2, 0, -2,
     1, 0, -1,
};

void convolve() {
    scamp5_kernel_begin();
        // F begins with the pixel to the north-west.
        movx(F, A, west);
        movx(F, F, north);
        res(E);
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                const int column = y % 2 == 0 ? x : SIZE - 1 - x;
                int weight = weights[y * SIZE + column];
                while (weight > 0) { add(E, E, F); weight--; }
                while (weight < 0) { sub(E, E, F); weight++; }
                if (x != SIZE - 1) {
                    if (y % 2 == 0) movx(F, F, east);
                    else movx(F, F, west);
                }
            }
            movx(F, F, south);
        }
    scamp5_kernel_end();
}
