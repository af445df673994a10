def one():
    x = 1
    return x


def two():
    x = 1
    return x
