// Ends an include of templates.def; may be included again and again.
#undef TEMPLATE
#undef INTEGER
#undef NUMBER
#undef WORD
#undef LIST
#undef WEIGHTS
#undef END
