touch -d '2020-01-01' sub/old.c
touch -d '2020-01-02' mid.c
touch -d '2020-01-03' new.c
