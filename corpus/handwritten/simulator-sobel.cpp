// Code for a simulator: no calls around programs, everything is a member of one object.
#include "scamp5.h"

inline void vertical(SCAMP5& s, int frame) {
    s.movx(s.B, s.A, south);
    s.add(s.B, s.B, s.A);
    s.movx(s.C, s.B, north);
    s.addx(s.B, s.B, s.C, east);
    s.sub2x(s.C, s.B, west, west, s.B);
}

int main(int count, char** arguments) {
    const int frames = std::stoi(arguments[1]);
    SCAMP5 s = SCAMP5::builder{}.with_rows(256).build();
    int frame = 0;
    while (frame < frames) {
        s.get_image(s.A, s.D);
        int before = cv::getTickCount();
        vertical(s, frame);
        std::cout << (cv::getTickCount() - before) / 1000.0 << " ms" << std::endl;
        if (frame % 50 == 0) {
            std::cout << "frame " << frame << std::endl;
        }
        frame++;
    }
    return 0;
}
