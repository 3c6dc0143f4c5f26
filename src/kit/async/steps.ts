/** Work that may pause at each `yield`, so that a large input does not block the event loop until all of it is done. */
export type Steps<Value> = Generator<void, Value, void>

/** Runs all steps at once, for small inputs. */
export function runToEnd<Value>(steps: Steps<Value>): Value {
  let next = steps.next()
  while (next.done !== true) next = steps.next()
  return next.value
}

/** Makes `Steps` of work that needs no pause. */
// biome-ignore lint/correctness/useYield: one step.
export function* inOneStep<Value>(work: () => Value): Steps<Value> {
  return work()
}

/** The number of list items that one step handles, where each item takes some microseconds. */
export const ITEMS_A_STEP = 1_000

/** Whether a list takes more than one step. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > ITEMS_A_STEP
}

/** Whether a loop over a list pauses after the item at this index. */
export function endsStep(index: number): boolean {
  return index % ITEMS_A_STEP === ITEMS_A_STEP - 1
}

/** Maps a list like the array method `map`, with pauses. */
export function* mapInSteps<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, index: number) => Mapped,
): Steps<Mapped[]> {
  if (!isLong(items)) return items.map(map)
  const mapped: Mapped[] = []
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index))
    if (endsStep(index)) yield
  }
  return mapped
}

/** Maps and flattens a list like the array method `flatMap`, with pauses. */
export function* flatMapInSteps<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, index: number) => readonly Mapped[],
): Steps<Mapped[]> {
  if (!isLong(items)) return items.flatMap(map)
  const mapped: Mapped[] = []
  for (const [index, item] of items.entries()) {
    for (const each of map(item, index)) mapped.push(each)
    if (endsStep(index)) yield
  }
  return mapped
}
