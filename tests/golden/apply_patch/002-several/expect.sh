rm 'gone.txt'
