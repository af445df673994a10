mv f h
mv d e
