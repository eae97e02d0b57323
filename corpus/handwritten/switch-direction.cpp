// A helper chooses by a `switch` on the direction that it is given; one case falls through to the next.
void edge(AREG y, AREG x, news_t d) {
    switch (d) {
    case east:
    case west:
        movx(E, x, west);
        movx(y, x, east);
        break;
    case north:
        neg(y, x);
        // falls through
    default:
        movx(E, x, north);
        movx(y, x, south);
    }
    sub(F, E, y);
    mov(y, F);
}

void prewitt() {
    scamp5_kernel_begin();
        movx(B, A, north); movx(C, A, south); add(B, A, B, C);
        edge(D, B, west);
        movx(B, A, east); movx(C, A, west); add(B, A, B, C);
        edge(C, B, south);
    scamp5_kernel_end();
}
