foo
x
