rm 'old/name.txt'
