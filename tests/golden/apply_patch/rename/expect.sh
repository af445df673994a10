rm 'a.txt'
rm 'b.bin'
