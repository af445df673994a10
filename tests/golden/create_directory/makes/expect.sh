mkdir -p a b/c/d real/e
