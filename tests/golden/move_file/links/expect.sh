mv l out gone d
mv d/x y
