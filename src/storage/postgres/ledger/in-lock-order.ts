/**
 * The values by the order of their names. All nodes write the rows of one table in this order, so that transactions
 * that write the same rows wait for each other without a deadlock.
 */
export function inLockOrder<Value>(byName: ReadonlyMap<string, Value>): readonly Value[] {
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)
}
