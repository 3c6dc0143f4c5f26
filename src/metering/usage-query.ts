import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Usage } from '../canonical/usage.ts'

/** The dimensions of usage besides time and tags. */
export const subjectDimensions = ['key', 'user', 'group', 'model', 'upstream_model', 'channel'] as const
export type SubjectDimension = (typeof subjectDimensions)[number]

/** Periods of time, the shortest first. They begin at full hours, days or months of the query's time zone. */
export const timeDimensions = ['hour', 'day', 'month'] as const
export type TimeDimension = (typeof timeDimensions)[number]

/** A dimension of usage. Each value of a tag is a group of its own. */
export type UsageDimension = SubjectDimension | TimeDimension | `tag:${string}`

export const MAX_DIMENSIONS = 4

/** A filter for attempts. An attempt matches if it meets every given condition. */
export interface UsageFilter {
  /** The ID or name of a key. */
  readonly key?: string | undefined
  /** The IDs of several keys. An attempt of any of them matches. */
  readonly keyIds?: readonly string[] | undefined
  readonly ownedBy?: OwnedBy | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstreamModel?: string | undefined
  readonly channel?: string | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/**
 * A query for attempts that ended from `sinceMs` (included) to `untilMs` (excluded). Both are full quarters of an hour.
 */
export interface UsageQuery {
  /** The dimensions in the order of the columns. Without any, all attempts form one group. */
  readonly by: readonly UsageDimension[]
  readonly sinceMs: number
  readonly untilMs: number
  /** An IANA name. */
  readonly timeZone: string
  readonly filter: UsageFilter
  /** `name`: by the columns, from left to right. `cost`: the most expensive group first. */
  readonly order: 'name' | 'cost'
  /** The last group of the previous page. */
  readonly after?: UsageCursor | undefined
  readonly limit: number
}

export interface UsageCursor {
  readonly names: readonly (string | null)[]
  /** The cost in nano-dollars. */
  readonly cost: bigint
}

/** The sums of many attempts. Sums of money are a `bigint`, since they may exceed the safe range of a number. */
export interface UsageSums {
  readonly attempts: number
  /** Attempts that were the first of their request. */
  readonly requests: number
  /** Attempts that were not billed, or that did not end as their caller wanted. */
  readonly failed: number
  /** Attempts with estimated numbers that no row corrects. */
  readonly estimated: number
  readonly usage: Omit<Usage, 'isEstimated'>
  /** The cost in nano-dollars. */
  readonly cost: bigint
  readonly charged: bigint
}

export interface UsageGroup extends UsageSums {
  /**
   * A name for each dimension. For a key: its ID. For an hour, a day or a month: the time at which it begins, such as
   * `2026-11-23T00:00:00.000Z`. Null where an attempt has no such value.
   */
  readonly names: readonly (string | null)[]
}

export interface UsagePage {
  readonly groups: readonly UsageGroup[]
  readonly hasMore: boolean
  /** The sums of all groups, not only of this page. */
  readonly totals: UsageSums
  /** The latest names of the keys in the page, by their IDs. */
  readonly keyNames: Readonly<Record<string, string>>
}

/** The length of a slot. Usage is added up by quarters of an hour, since time zones differ in steps of that length. */
export const USAGE_SLOT_MS = 900_000
