// A helper that calls itself, by way of another.
void odd(AREG y, int n);

void even(AREG y, int n) {
    if (n > 0) { odd(y, n - 1); }
    movx(y, y, east);
}

void odd(AREG y, int n) {
    if (n > 0) { even(y, n - 1); }
    movx(y, y, west);
}

void program() {
    scamp5_kernel_begin();
        even(A, 3);
    scamp5_kernel_end();
}
