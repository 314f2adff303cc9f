"""Least squares for the scripts beside it: time taken apart into so much for each of a few things."""


def fit(rows):
    """What each of the first numbers of every row must weigh for their sum to come nearest its last one: the normal equations, by elimination."""
    size = len(rows[0]) - 1
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size + 1)] for i in range(size)]
    for i in range(size):
        for k in range(size):
            if k != i:
                share = system[k][i] / system[i][i]
                system[k] = [a - share * b for a, b in zip(system[k], system[i])]
    return [system[i][-1] / system[i][i] for i in range(size)]
