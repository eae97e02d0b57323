// Helpers in namespaces, called by their whole names and by `using`; [1 2 1]/4 along one axis, then along the other.
namespace smooth {
    namespace half {
        // The mean of a pixel and its neighbour.
        inline void mean(AREG y, AREG x, AREG tmp, news_t d) {
            divq(tmp, x);
            movx(y, tmp, d);
            add(y, y, tmp);
        }
    }
    using namespace half;

    const areg_t WORK = F;

    void axis(AREG y, AREG x, news_t there, news_t back) {
        mean(E, x, WORK, there);
        half::mean(y, E, WORK, back);
    }
}

void gauss(AREG image, AREG blurred) {
    scamp5_kernel_begin();
        smooth::axis(blurred, image, north, south);
        smooth::axis(blurred, blurred, east, west);
    scamp5_kernel_end();
}
