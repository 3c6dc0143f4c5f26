import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packRow } from '../../src/request-log/pack-row.ts'
import type { RequestLogStore, RequestQuery } from '../../src/request-log/request-log-store.ts'
import type { RequestRow } from '../../src/telemetry/observer.ts'
import { joinRows } from '../support/join-rows.ts'
import { createRequestRow } from '../support/request-row.ts'

type Log = Omit<RequestLogStore, 'close' | 'copyTo'>

export interface RequestLogCase {
  /** An empty log, which looks through so many rows at once. */
  readonly open: (windowRows: number) => Promise<Log>
  /** The runs of each property. */
  readonly runs: number
  /** A time of the past. */
  readonly startMs: number
}

const name = fc.constantFrom('a', 'b', 'c')
const variety = fc.record({
  keyName: fc.option(name, { nil: undefined }),
  keyId: name,
  user: fc.option(name, { nil: undefined }),
  group: fc.option(name, { nil: undefined }),
  model: name,
  channel: name,
  upstreamModel: name,
  status: fc.constantFrom(200, 200, 200, 400, 429, 503),
  error: fc.constantFrom(undefined, undefined, 'upstream_error' as const, 'upstream_timeout' as const),
  isStream: fc.boolean(),
  failedOn: fc.array(name, { maxLength: 2 }),
  totalMs: fc.constantFrom(10, 499, 500, 700, 999, 1_000, 25_000, 700_000),
})

type Variety = typeof variety extends fc.Arbitrary<infer Value> ? Value : never

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const queriesFrom = (startMs: number) =>
  fc.record({
    requestIds: maybe(fc.array(fc.integer({ min: 0, max: 70 }).map(requestIdOf), { maxLength: 30 })),
    key: maybe(fc.constantFrom('a', 'b', 'nobody')),
    user: maybe(name),
    ownedBy: maybe(
      fc.record({
        user: fc.constantFrom('a', 'nobody'),
        groups: fc.array(fc.constantFrom('b', 'c', 'nobody'), { maxLength: 2 }),
      }),
    ),
    group: maybe(name),
    model: maybe(name),
    channel: maybe(name),
    upstreamModel: maybe(name),
    status: maybe(fc.constantFrom<readonly [number, number]>([200, 200], [400, 499], [500, 599])),
    error: maybe(fc.constantFrom('upstream_error', 'none')),
    isStream: maybe(fc.boolean()),
    minMs: maybe(fc.constantFrom(0, 500, 501, 800, 1_000, 26_000, 800_000)),
    before: maybe(fc.integer({ min: 1, max: 70 })),
    after: maybe(fc.integer({ min: 0, max: 70 })),
    sinceMs: maybe(fc.integer({ min: startMs - 5, max: startMs + 200 })),
    untilMs: maybe(fc.integer({ min: startMs - 5, max: startMs + 200 })),
    limit: fc.integer({ min: 1, max: 12 }),
  })

function requestIdOf(index: number): string {
  return `req_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
}

function rowOf({ failedOn, ...different }: Variety, index: number, startMs: number): RequestRow {
  const [answered] = createRequestRow().attempts
  if (answered === undefined) throw new Error('a row has an attempt')
  const attempts = [...failedOn, different.channel].map((channel) => ({ ...answered, channel }))
  return createRequestRow({
    ...different,
    attempts,
    requestId: requestIdOf(index),
    endedAtMs: startMs + Math.floor(index / 3) * 9,
  })
}

/** The numbers of the rows that a page must hold, from 1, found by looking at every row. */
function searchAll(rows: readonly RequestRow[], wanted: RequestQuery) {
  const fits = (row: RequestRow, id: number) =>
    (wanted.requestIds === undefined || wanted.requestIds.includes(row.requestId)) &&
    (wanted.key === undefined || row.keyId === wanted.key || row.keyName === wanted.key) &&
    (wanted.user === undefined || row.user === wanted.user) &&
    (wanted.ownedBy === undefined ||
      row.user === wanted.ownedBy.user ||
      wanted.ownedBy.groups.some((group) => group === row.group)) &&
    (wanted.group === undefined || row.group === wanted.group) &&
    (wanted.model === undefined || row.model === wanted.model) &&
    (wanted.channel === undefined || row.attempts.some(({ channel }) => channel === wanted.channel)) &&
    (wanted.upstreamModel === undefined || row.upstreamModel === wanted.upstreamModel) &&
    (wanted.status === undefined || (row.status >= wanted.status[0] && row.status <= wanted.status[1])) &&
    (wanted.error === undefined || row.error === wanted.error) &&
    (wanted.isStream === undefined || row.isStream === wanted.isStream) &&
    row.totalMs >= (wanted.minMs ?? 0) &&
    id < (wanted.before ?? Number.POSITIVE_INFINITY) &&
    id > (wanted.after ?? 0) &&
    row.endedAtMs >= (wanted.sinceMs ?? 0) &&
    row.endedAtMs <= (wanted.untilMs ?? Number.POSITIVE_INFINITY)
  const found = rows.flatMap((row, index) => (fits(row, index + 1) ? [index + 1] : [])).reverse()
  return { ids: found.slice(0, wanted.limit), hasMore: found.length > wanted.limit }
}

/** The ids of all rows, the oldest first. */
async function readIds(log: Log): Promise<readonly number[]> {
  const { rows } = await log.page({ limit: 1_000 })
  return rows.map(({ id }) => id).reverse()
}

/** What every store of ended requests does, whichever database it is in. */
export function describeRequestLog(name: string, { open, runs, startMs }: RequestLogCase): void {
  const START_MS = startMs
  describe(`the request log in ${name}`, () => {
    describePages({ open, runs, startMs })

    describeTexts({ open, runs, startMs })

    test('the programs behind requests are listed, the last one first', async () => {
      const log = await open(10)
      const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.1']
      const rows = addresses.map((address) =>
        createRequestRow({ address, keyName: 'ci', endedAtMs: startMs }),
      )
      await log.append(joinRows(rows.map(packRow)))
      const { callers, lookedAt } = await log.callers({ key: 'ci' })
      expect(callers.map(({ address, requests }) => [address, requests])).toEqual([
        ['192.0.2.1', 2],
        ['192.0.2.2', 1],
      ])
      expect(lookedAt).toBe(3)
    })

    test('a clock that was set back does not hide rows from a search by time', async () => {
      const log = await open(10)
      for (const afterMs of [5_000, 1_000, 6_000])
        await log.append(joinRows([packRow(createRequestRow({ endedAtMs: START_MS + afterMs }))]))
      expect((await log.page({ sinceMs: START_MS + 5_000, limit: 10 })).rows).toHaveLength(3)
    })
  })
}

function describePages({ open, runs, startMs }: RequestLogCase): void {
  test.each([1, 7, 10_000])(
    'a page is what a search of every row gives, looking through %i rows',
    async (windowRows) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(variety, { maxLength: 60 }),
          fc.array(queriesFrom(startMs), { minLength: 20, maxLength: 20 }),
          async (varieties, queries) => {
            const log = await open(windowRows)
            const rows = varieties.map((each, index) => rowOf(each, index, startMs))
            const cut = Math.floor(rows.length / 2)
            for (const batch of [rows.slice(0, cut), rows.slice(cut)])
              await log.append(joinRows(batch.map(packRow)))
            const ids = await readIds(log)
            // The cursors of the query are numbers of rows; those of the log are ids.
            const cursor = (number: number | undefined) =>
              number === undefined ? undefined : (ids[number - 1] ?? (ids.at(-1) ?? 0) + 1)
            for (const one of queries) {
              const after = one.after === 0 ? 0 : cursor(one.after)
              const page = await log.page({ ...one, before: cursor(one.before), after })
              const numbers = page.rows.map(({ id }) => ids.indexOf(id) + 1)
              expect({ ids: numbers, hasMore: page.hasMore }).toEqual(searchAll(rows, one))
            }
          },
        ),
        { numRuns: runs },
      )
    },
  )

  test('a page after the other gives every row once', async () => {
    const log = await open(4)
    const rows = Array.from({ length: 95 }, (_row, index) =>
      createRequestRow({ requestId: `req_${index}`, endedAtMs: startMs, model: index % 3 === 0 ? 'x' : 'y' }),
    )
    await log.append(joinRows(rows.map(packRow)))
    const seen: number[] = []
    for (let before: number | undefined; ; ) {
      const page = await log.page({ model: 'x', before, limit: 10 })
      seen.push(...page.rows.map(({ id }) => id))
      before = page.rows.at(-1)?.id
      if (!page.hasMore) break
    }
    const ids = await readIds(log)
    expect(seen).toEqual(rows.flatMap(({ model }, index) => (model === 'x' ? [ids[index]] : [])).reverse())
  })
}

function describeTexts({ open, startMs }: RequestLogCase): void {
  test('a request is found by its id, with its whole story', async () => {
    const log = await open(10)
    const requestIds = ['req_00000000-0000-4000-8000-00000000000a', 'exactly-16-bytes', 'of the caller']
    const rows = requestIds.map((requestId) => createRequestRow({ requestId, endedAtMs: startMs }))
    await log.append(joinRows(rows.map(packRow)))
    for (const requestId of requestIds)
      expect(await log.find(requestId)).toMatchObject({
        requestId,
        endedAtMs: startMs,
        method: rows[0]?.method,
      })
    expect(await log.find('req_none')).toBeUndefined()
  })

  test('text that no database stores does not keep other rows from being written', async () => {
    const log = await open(10)
    const models = ['a\u0000b', 'half \ud83d', '\udc00', 'back\\slash "quoted"', '模型']
    const rows = models.map((model) => createRequestRow({ model, endedAtMs: startMs }))
    await log.append(joinRows(rows.map(packRow)))
    const found = (await log.page({ limit: 10 })).rows.map(({ model }) => model).reverse()
    expect(found).toHaveLength(models.length)
    expect(found.slice(3)).toEqual(models.slice(3))
  })
}
