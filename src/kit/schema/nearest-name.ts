/** The known name that a mistyped name most likely means. Undefined where no known name is near. */
export function nearestName(typed: string, known: Iterable<string>): string | undefined {
  const wanted = simplify(typed)
  let nearest: string | undefined
  let lowest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const name of known) {
    const distance = editDistance(wanted, simplify(name))
    if (distance < lowest) {
      lowest = distance
      nearest = name
    }
  }
  return nearest
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '')
}

/** Counts insertions, deletions, replacements and swaps of neighbors (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1]
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, right.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
