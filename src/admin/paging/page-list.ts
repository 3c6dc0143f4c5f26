import type { ListCursor } from './list-cursor.ts'

export interface ListOrder<Item> {
  /** The value that the list is sorted by. It has the same type for all items. */
  readonly sortValueOf: (item: Item) => string | number
  /** The unique name or ID of an item. */
  readonly idOf: (item: Item) => string
  readonly descending: boolean
  readonly after: ListCursor | undefined
  readonly limit: number
}

export interface ListPage<Item> {
  readonly items: readonly Item[]
  /** Undefined on the last page. */
  readonly next: ListCursor | undefined
}

/** A page of a list in memory. Items added or removed between two pages do not shift the others. */
export function pageList<Item>(items: readonly Item[], order: ListOrder<Item>): ListPage<Item> {
  const { sortValueOf, idOf, descending, after, limit } = order
  const sign = descending ? -1 : 1
  const keyed = items.map((item) => ({ item, value: sortValueOf(item), id: idOf(item) }))
  const following = keyed.filter((each) => after === undefined || sign * compare(each, after) > 0)
  following.sort((left, right) => sign * compare(left, right))
  const page = following.slice(0, limit)
  const last = page.at(-1)
  const hasMore = following.length > limit
  return {
    items: page.map(({ item }) => item),
    next: hasMore && last !== undefined ? { value: last.value, id: last.id } : undefined,
  }
}

function compare(left: ListCursor, right: ListCursor): number {
  return compareValues(left.value, right.value) || compareValues(left.id, right.id)
}

function compareValues(left: string | number, right: string | number): number {
  if (left < right) return -1
  return left > right ? 1 : 0
}
