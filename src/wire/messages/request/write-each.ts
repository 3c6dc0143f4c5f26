import type { JsonObject } from '../../../kit/json/json.ts'

/** Writes each item, leaving out those that the format cannot carry. */
export function writeEach<Item>(
  items: readonly Item[],
  write: (item: Item) => JsonObject | undefined,
): readonly JsonObject[] {
  const written: JsonObject[] = []
  for (const item of items) {
    const value = write(item)
    if (value !== undefined) written.push(value)
  }
  return written
}
