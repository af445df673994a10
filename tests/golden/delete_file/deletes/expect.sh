rm f l gone out second d/x
rmdir empty
