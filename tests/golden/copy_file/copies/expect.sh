cp -p f d/g
cp -p bin bin2
cp -p empty e2
cp -p f s2
cp -p f l2
