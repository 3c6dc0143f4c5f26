import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Usage } from '../canonical/usage.ts'

/** The dimensions of usage besides time and tags. */
export const subjectDimensions = ['key', 'user', 'group', 'model', 'upstream_model', 'channel'] as const
export type SubjectDimension = (typeof subjectDimensions)[number]

/** Stretches of time, the shortest first. They begin by the clock of the query's time zone. */
export const timeDimensions = ['hour', 'day', 'month'] as const
export type TimeDimension = (typeof timeDimensions)[number]

/** A dimension of usage. The values of a tag are groups of their own. */
export type UsageDimension = SubjectDimension | TimeDimension | `tag:${string}`

export const MAX_DIMENSIONS = 4

/** All that is given must hold. */
export interface UsageFilter {
  /** A key's id or name. */
  readonly key?: string | undefined
  /** The ids of some keys; either is enough. */
  readonly keyIds?: readonly string[] | undefined
  readonly ownedBy?: OwnedBy | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstreamModel?: string | undefined
  readonly channel?: string | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Attempts that ended from `sinceMs` (included) to `untilMs` (excluded), both on quarters of an hour. */
export interface UsageQuery {
  /** The dimensions in the order of the columns; without any, all is one group. */
  readonly by: readonly UsageDimension[]
  readonly sinceMs: number
  readonly untilMs: number
  /** An IANA name. */
  readonly timeZone: string
  readonly filter: UsageFilter
  /** `name`: by the columns, from left to right; `cost`: what cost most first. */
  readonly order: 'name' | 'cost'
  /** The last group of the page before. */
  readonly after?: UsageCursor | undefined
  readonly limit: number
}

export interface UsageCursor {
  readonly names: readonly (string | null)[]
  /** The cost in nano-dollars. */
  readonly cost: bigint
}

/** The sums of many attempts. Sums of money may pass what a number can hold. */
export interface UsageSums {
  readonly attempts: number
  /** Attempts that were the first of their request. */
  readonly requests: number
  /** Attempts of which nothing was billed, or that did not end as their caller wanted. */
  readonly failed: number
  /** Attempts with a number of our own that no row corrects. */
  readonly estimated: number
  readonly usage: Omit<Usage, 'isEstimated'>
  /** The cost in nano-dollars. */
  readonly cost: bigint
  readonly charged: bigint
}

export interface UsageGroup extends UsageSums {
  /**
   * A name for each dimension: of a key its id, of an hour, a day or a month the moment at which it begins, as
   * `2026-11-23T00:00:00.000Z`. Null where there is none.
   */
  readonly names: readonly (string | null)[]
}

export interface UsagePage {
  readonly groups: readonly UsageGroup[]
  readonly hasMore: boolean
  /** The sums of all groups, not of this page alone. */
  readonly totals: UsageSums
  /** The last names of the keys among the names. */
  readonly keyNames: Readonly<Record<string, string>>
}

/** Usage is added up by quarters of an hour: so short is the step of time zones. */
export const USAGE_SLOT_MS = 900_000
