head -c 1048576 /dev/zero | tr "\0" x >most; head -c 1048577 /dev/zero | tr "\0" x >more
