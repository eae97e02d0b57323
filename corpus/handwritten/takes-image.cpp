// The second form of get_image leaves minus half of the image in its second register, and NEWS is no longer what it was.
void half() {
    scamp5_kernel_begin();
        get_image(A, B);
        bus(D, NEWS);
        sub(C, A, B);
    scamp5_kernel_end();
}
