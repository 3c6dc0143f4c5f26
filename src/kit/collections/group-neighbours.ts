/**
 * Groups consecutive items. `belongs` says whether an item belongs to the group of the previous item. Takes linear
 * time.
 */
export function groupNeighbours<Item>(
  items: readonly Item[],
  belongs: (item: Item, before: Item) => boolean,
): readonly (readonly [Item, ...Item[]])[] {
  const groups: [Item, ...Item[]][] = []
  for (const [index, item] of items.entries()) {
    const before = items[index - 1]
    const group = groups.at(-1)
    if (group === undefined || before === undefined || !belongs(item, before)) groups.push([item])
    else group.push(item)
  }
  return groups
}
