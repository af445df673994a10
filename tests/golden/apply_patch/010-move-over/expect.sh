rm 'old.txt'
