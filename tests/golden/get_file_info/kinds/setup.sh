printf 12345678901234 >a
chmod 640 a
mkdir d
chmod 750 d
ln -s a l
mkfifo -m 600 p
for i in a d p; do touch -d 2026-11-16T18:02:55Z $i; done
