rm 'a.txt'
