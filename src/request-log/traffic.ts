import type { OwnedBy } from '../canonical/owned-by.ts'

/** The subjects that requests are counted by, besides time. */
export const trafficSubjects = ['key', 'user', 'group', 'model', 'channel'] as const
export type TrafficSubject = (typeof trafficSubjects)[number]
export type TrafficDimension = TrafficSubject | 'hour' | 'day'

/** All that is given must hold; a key by its ID or name. */
export type TrafficFilter = Readonly<Partial<Record<TrafficSubject, string | undefined>>> & {
  readonly ownedBy?: OwnedBy | undefined
}

/** Requests that ended from `sinceMs` (included) to `untilMs` (excluded), both on whole hours of UTC. */
export interface TrafficQuery {
  /** Absent: everything is one group. */
  readonly by?: TrafficDimension | undefined
  readonly sinceMs: number
  readonly untilMs: number
  /** An IANA name, by whose clock days begin. */
  readonly timeZone: string
  readonly filter: TrafficFilter
  /** The most groups, where these are not stretches of time. */
  readonly limit: number
}

/** The counts of some requests. */
export interface TrafficCounts {
  readonly requests: number
  /** Those that were refused for what the caller did: a status from 400 to 499. */
  readonly refused: number
  /** Those of the refused that were over a limit: a status of 429. */
  readonly rateLimited: number
  /** Those that failed through no fault of the caller: a status from 500 on, or a stream that broke off. */
  readonly failed: number
  /** The times until the first content of those that were answered, by class. */
  readonly firstContent: readonly number[]
  /** The whole times of those that were answered, by class. */
  readonly total: readonly number[]
}

export interface TrafficGroup extends TrafficCounts {
  /** The ID of a key, the moment at which an hour or a day begins; null where there is none. */
  readonly name: string | null
}

export interface TrafficReport {
  /** Stretches of time in their order, without those in which nothing happened; all else by requests, most first. */
  readonly groups: readonly TrafficGroup[]
  readonly totals: TrafficCounts
  /** The last names of the keys among the names. */
  readonly keyNames: Readonly<Record<string, string>>
  /** Requests that ended later are not counted yet; undefined where all are. */
  readonly countedUntilMs: number | undefined
}

/**
 * The combinations of subjects by which requests are added up as they end, the coarsest first. A report reads the first
 * that has what it asks for; it never reads requests.
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

/** The number of the facet that answers a query; undefined where none does. */
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
