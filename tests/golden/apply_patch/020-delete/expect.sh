rm 'b.txt'
