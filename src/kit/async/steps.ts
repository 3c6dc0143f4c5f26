/** Work that may pause wherever it yields, so that what is large does not keep the event loop for all of it. */
export type Steps<Value> = Generator<void, Value, void>

/** All at once, for what is small. */
export function runToEnd<Value>(steps: Steps<Value>): Value {
  let next = steps.next()
  while (next.done !== true) next = steps.next()
  return next.value
}

/** The same type for what needs no pause. */
// biome-ignore lint/correctness/useYield: one step.
export function* inOneStep<Value>(work: () => Value): Steps<Value> {
  return work()
}

/** Items of a list that are taken in one step, where each takes some microseconds. */
export const ITEMS_A_STEP = 1_000

/** Whether a list takes more than one step. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > ITEMS_A_STEP
}

/** Whether a loop over a list pauses behind the item at this index. */
export function endsStep(index: number): boolean {
  return index % ITEMS_A_STEP === ITEMS_A_STEP - 1
}

/** The same as `map` of the list, with pauses. */
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

/** The same as `flatMap` of the list, with pauses. */
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
