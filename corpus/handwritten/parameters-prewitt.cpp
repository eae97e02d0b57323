// Registers and directions come from outside.
void prewitt(areg_t const& y, areg_t const& x, AREG t, news_t forward, news_t across) {
    scamp5_dynamic_kernel_begin();
        movx(t, x, across);
        add(y, x, t);
        movx(t, x, (across == north ? south : north));
        add(y, y, t);
        movx(t, y, forward);
        movx(y, y, forward == east ? west : east);
        sub(y, y, t);
    scamp5_dynamic_kernel_end();
}
