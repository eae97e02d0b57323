// A convolution that is stored where a mask is set; elsewhere the register keeps what it held.
class Masked {
    const dreg_t mask = R8;
    void smooth(AREG y, AREG x, AREG t) {
        movx(t, x, north);
        add(y, x, t);
        movx(t, y, south);
        add(y, y, t);
    }
public:
    void run() {
        scamp5_kernel_begin();
            smooth(B, A, C);
            movx(C, B, east);
            movx(D, B, west);
            WHERE(mask);
                sub(E, D, C);
            all();
        scamp5_kernel_end();
    }
};
