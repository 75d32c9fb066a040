// Stand-in: mxc.h has everything.
