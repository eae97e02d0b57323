// Bus operations with their registers in braces; a host's call inside the program, which is passed over.
void box() {
    scamp5_kernel_begin();
        bus({NEWS}, {A});
        bus({B}, {NEWS, XN, XS});
        vs_post_text("half way\n");
        bus({NEWS}, {B});
        bus({B}, {NEWS, XE, XW});
    scamp5_kernel_end();
}
