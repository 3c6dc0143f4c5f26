/**
 * Finds which key makes room in a full queue: the items of the key that has the most, in their order. Undefined if
 * `newKey` would then have more items than that key.
 */
export function findLargestShare<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  newKey: string,
): readonly Item[] | undefined {
  const byKey = Map.groupBy(items, keyOf)
  let largest: readonly Item[] = []
  for (const share of byKey.values()) if (share.length > largest.length) largest = share
  const own = byKey.get(newKey)?.length ?? 0
  return largest.length > own + 1 ? largest : undefined
}
