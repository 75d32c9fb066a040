// Takes back what tables.h has defined.
#undef BLOCK
#undef END_BLOCK
#undef OP
#undef LAW
#undef ADDRESS
