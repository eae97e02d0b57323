// A window that the host moves: pixels outside it are set to a level, those inside keep the frame.
const AREG frame = A;
const AREG result = B;

void outside(int8_t level) {
    scamp5_kernel_begin();
        NOT(R5, RECT);
        mov(result, frame);
        WHERE(R5);
    scamp5_kernel_end();
    // The flag is still that of the kernel before: only the outside takes the number.
    scamp5_in(result, level);
    scamp5_kernel_all();
}

int main() {
    vs_init();
    while (1) {
        vs_frame_loop_control();
        scamp5_get_image(frame, C, 1);
        scamp5_select_rect(10, 10, 50, 90);
        outside(-40);
        scamp5_select_rect(100, 10, 150, 90);
        scamp5_kernel_begin();
            MOV(R6, RECT);
            AND(R7, R6, R5);
        scamp5_kernel_end();
        scamp5_output_image(result, display);
    }
}
