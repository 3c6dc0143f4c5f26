import type { OwnedBy } from '../canonical/owned-by.ts'

/** The subjects by which requests are counted, besides time. */
export const trafficSubjects = ['key', 'user', 'group', 'model', 'channel'] as const
export type TrafficSubject = (typeof trafficSubjects)[number]
export type TrafficDimension = TrafficSubject | 'hour' | 'day'

/** A request must match every condition that is given. A key is given by its ID or name. */
export type TrafficFilter = Readonly<Partial<Record<TrafficSubject, string | undefined>>> & {
  readonly ownedBy?: OwnedBy | undefined
}

/** Requests that ended from `sinceMs` (included) to `untilMs` (excluded). Both are on whole hours of UTC. */
export interface TrafficQuery {
  /** The dimension to group by. If absent, all requests form one group. */
  readonly by?: TrafficDimension | undefined
  readonly sinceMs: number
  readonly untilMs: number
  /** The IANA name of the time zone in which days begin. */
  readonly timeZone: string
  readonly filter: TrafficFilter
  /** The maximum number of groups. It does not apply to groups by time. */
  readonly limit: number
}

/** The counts of a set of requests. */
export interface TrafficCounts {
  readonly requests: number
  /** Requests refused because of the caller: a status from 400 to 499. */
  readonly refused: number
  /** The part of `refused` that was over a limit: a status of 429. */
  readonly rateLimited: number
  /** Requests that failed through no fault of the caller: a status of 500 or above, or a stream that broke off. */
  readonly failed: number
  /** The time to first content of answered requests, by histogram class. */
  readonly firstContent: readonly number[]
  /** The total time of answered requests, by histogram class. */
  readonly total: readonly number[]
}

export interface TrafficGroup extends TrafficCounts {
  /** The ID of a key, or the moment at which an hour or a day begins; null where there is none. */
  readonly name: string | null
}

export interface TrafficReport {
  /**
   * Groups by time come in order of time, without empty hours or days. All other groups come by number of requests,
   * the highest first.
   */
  readonly groups: readonly TrafficGroup[]
  readonly totals: TrafficCounts
  /** The newest names of the keys that `groups` names by ID. */
  readonly keyNames: Readonly<Record<string, string>>
  /** Requests that ended later are not counted yet; undefined where all requests are counted. */
  readonly countedUntilMs: number | undefined
}

/**
 * The combinations of subjects by which requests are added up as they end, the coarsest first. A report reads the
 * first combination that has all subjects that it needs; it never reads requests.
 */
export const trafficFacets: readonly (readonly TrafficSubject[])[] = [
  [],
  ['model'],
  ['channel'],
  ['model', 'channel'],
  ['group'],
  ['group', 'model'],
  ['group', 'channel'],
  ['user', 'group'],
  ['user', 'group', 'model'],
  ['user', 'group', 'channel'],
  ['user', 'group', 'key'],
]

/** The index of the facet that can answer a query; undefined where no facet can. */
export function findTrafficFacet({ by, filter }: Pick<TrafficQuery, 'by' | 'filter'>): number | undefined {
  const { ownedBy, ...named } = filter
  const needed = trafficSubjects.filter(
    (subject) =>
      subject === by ||
      named[subject] !== undefined ||
      (ownedBy !== undefined && (subject === 'user' || subject === 'group')),
  )
  const index = trafficFacets.findIndex((facet) => needed.every((subject) => facet.includes(subject)))
  return index === -1 ? undefined : index
}
