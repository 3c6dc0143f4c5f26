import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/kit/time/time-units.ts'
import { latencyClassOf } from '../../src/request-log/latency-histogram.ts'
import { packRow } from '../../src/request-log/pack-row.ts'
import type { RequestLogStore } from '../../src/request-log/request-log-store.ts'
import {
  findTrafficFacet,
  type TrafficCounts,
  type TrafficQuery,
  trafficSubjects,
} from '../../src/request-log/traffic.ts'
import type { RequestRow } from '../../src/telemetry/observer.ts'
import { joinRows } from '../support/join-rows.ts'
import { createRequestRow } from '../support/request-row.ts'

export interface TrafficCase {
  readonly open: () => Promise<Pick<RequestLogStore, 'append' | 'traffic' | 'prune'>>
  readonly runs: number
  /** The beginning of a day of the past. */
  readonly startMs: number
}

const letter = fc.constantFrom('a', 'b')
const variety = fc.record({
  keyId: letter,
  user: fc.option(letter, { nil: undefined }),
  group: fc.option(letter, { nil: undefined }),
  model: letter,
  channel: letter,
  status: fc.constantFrom(200, 200, 400, 429, 503),
  error: fc.constantFrom(undefined, undefined, 'upstream_error' as const),
  totalMs: fc.constantFrom(3, 499, 5_000, 700_000),
  firstContentMs: fc.constantFrom(undefined, 2, 400),
  hours: fc.integer({ min: 0, max: 80 }),
})

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const queriesFrom = (startMs: number) =>
  fc
    .record({
      by: maybe(fc.constantFrom('hour' as const, 'day' as const, ...trafficSubjects)),
      since: fc.integer({ min: 0, max: 60 }),
      hours: fc.integer({ min: 1, max: 80 }),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
      filter: fc.record({
        key: maybe(letter),
        user: maybe(letter),
        group: maybe(letter),
        model: maybe(letter),
        channel: maybe(letter),
        ownedBy: maybe(fc.record({ user: letter, groups: fc.array(letter, { maxLength: 2 }) })),
      }),
    })
    .map(
      ({ since, hours, ...rest }): TrafficQuery => ({
        ...rest,
        limit: 50,
        sinceMs: startMs + since * HOUR_MS,
        untilMs: startMs + (since + hours) * HOUR_MS,
      }),
    )
    .filter((each) => findTrafficFacet(each) !== undefined)

function isAsked(row: RequestRow, { filter, sinceMs, untilMs }: TrafficQuery): boolean {
  const { ownedBy, key, user, group, model, channel } = filter
  const isOwned =
    ownedBy === undefined || row.user === ownedBy.user || ownedBy.groups.some((each) => each === row.group)
  const pairs = [
    [key, row.keyId],
    [user, row.user],
    [group, row.group],
    [model, row.model],
    [channel, row.channel],
  ]
  return (
    isOwned &&
    pairs.every(([wanted, value]) => wanted === undefined || wanted === value) &&
    row.endedAtMs >= sinceMs &&
    row.endedAtMs < untilMs
  )
}

function nameOf(row: RequestRow, { by, timeZone }: TrafficQuery): string | null {
  switch (by) {
    case undefined:
      return null
    case 'hour':
      return new Date(Math.floor(row.endedAtMs / HOUR_MS) * HOUR_MS).toISOString()
    case 'day':
      return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(row.endedAtMs)
    case 'key':
      return row.keyId ?? null
    default:
      return row[by] ?? null
  }
}

function countRows(rows: readonly RequestRow[]) {
  const number = (is: (row: RequestRow) => boolean) => rows.filter(is).length
  const answered = rows.filter(({ status, error }) => status < 400 && error === undefined)
  const classes = (read: (row: RequestRow) => number | undefined) =>
    answered
      .flatMap((row) => read(row) ?? [])
      .map(latencyClassOf)
      .toSorted((a, b) => a - b)
  return {
    requests: rows.length,
    refused: number(({ status }) => status >= 400 && status < 500),
    rateLimited: number(({ status }) => status === 429),
    failed: number(({ status, error }) => status >= 500 || (status < 400 && error !== undefined)),
    firstContent: classes(({ firstContentMs }) => firstContentMs),
    total: classes(({ totalMs }) => totalMs),
  }
}

function unfold({ firstContent, total, ...counts }: TrafficCounts) {
  const list = (classes: readonly number[]) =>
    classes.flatMap((count, index) => new Array<number>(count).fill(index))
  const { requests, refused, rateLimited, failed } = counts
  return {
    requests,
    refused,
    rateLimited,
    failed,
    firstContent: list(firstContent),
    total: list(total),
  }
}

/** Every store of ended requests adds them up alike, whichever database it is in. */
export function describeTraffic(name: string, { open, runs, startMs }: TrafficCase): void {
  test(`the traffic in ${name}: the counts of a span are those of every row in it, by whatever they are asked`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(variety, { maxLength: 60 }),
        fc.array(queriesFrom(startMs), { minLength: 15, maxLength: 15 }),
        async (varieties, queries) => {
          const log = await open()
          const rows = varieties
            .toSorted((one, other) => one.hours - other.hours)
            .map(({ hours, ...row }, index) =>
              createRequestRow({
                ...row,
                requestId: `req_${index}`,
                endedAtMs: startMs + hours * HOUR_MS + 7,
              }),
            )
          const half = Math.floor(rows.length / 2)
          await log.append(joinRows(rows.slice(0, half).map(packRow)))
          await log.traffic({
            sinceMs: startMs,
            untilMs: startMs + 100 * DAY_MS,
            timeZone: 'UTC',
            filter: {},
            limit: 50,
          })
          await log.append(joinRows(rows.slice(half).map(packRow)))
          for (const asked of queries) {
            const { groups, totals } = await log.traffic(asked)
            const wanted = rows.filter((row) => isAsked(row, asked))
            expect(unfold(totals)).toEqual(countRows(wanted))
            const shown = groups.map(({ name: shownName, ...counts }) => [
              asked.by === 'day' && shownName !== null
                ? nameOf(createRequestRow({ endedAtMs: Date.parse(shownName) }), asked)
                : shownName,
              unfold(counts),
            ])
            const expected = [...Map.groupBy(wanted, (row) => nameOf(row, asked))]
            const byName = new Map(expected.map(([each, members]) => [each, countRows(members)]))
            if (asked.by !== undefined) expect(new Map(shown as never)).toEqual(byName)
          }
        },
      ),
      { numRuns: runs },
    )
  }, 60_000)
  test(`the traffic in ${name}: a key is found by its name after its rows went for newer ones`, async () => {
    const log = await open()
    const rowsOf = (keyId: string, keyName: string, count: number) =>
      Array.from({ length: count }, (_row, index) =>
        packRow(
          createRequestRow({ keyId, keyName, requestId: `req_${keyId}${index}`, endedAtMs: startMs + 7 }),
        ),
      )
    await log.append(joinRows([...rowsOf('key_1', 'ci', 3), ...rowsOf('key_2', 'build', 40)]))
    const limits = { endedBeforeMs: startMs - DAY_MS, maxRows: 20 }
    while ((await log.prune(limits)).hasMore);
    const query = { sinceMs: startMs, untilMs: startMs + DAY_MS, timeZone: 'UTC', limit: 50 }
    for (const key of ['ci', 'key_1'])
      expect((await log.traffic({ ...query, filter: { key } })).totals.requests).toBe(3)
    const { keyNames } = await log.traffic({ ...query, by: 'key', filter: {} })
    expect(keyNames).toEqual({ key_1: 'ci', key_2: 'build' })
    // The names go with the traffic.
    await log.append(joinRows(rowsOf('key_3', 'new', 30)))
    while ((await log.prune({ endedBeforeMs: startMs + 2 * DAY_MS, maxRows: 20 })).hasMore);
    expect((await log.traffic({ ...query, filter: { key: 'ci' } })).totals.requests).toBe(0)
  })
}
