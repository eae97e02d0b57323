// The level of a threshold is moved by a slider.
int main() {
    int level = 20;
    vs_gui_add_slider("level", -127, 127, level, &level);
    while (true) {
        vs_frame_loop_control();
        scamp5_kernel_begin();
            scamp5_in(C, level);
            sub(B, A, C);
            where(B);
                MOV(S0, FLAG);
            all();
        scamp5_kernel_end();
    }
}
