import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fitsOwners,
  ledgerRows,
  renumberRows,
  subjectFilter,
} from '../../../../test/support/ledger-arbitraries.ts'
import { openLedgerFile } from '../../../../test/support/ledger-file.ts'
import {
  batchOf,
  counted,
  createLedgerIntent,
  createLedgerRow,
  LEDGER_START_MS,
} from '../../../../test/support/ledger-row.ts'
import type { RowFilter } from '../../../metering/ledger-reader.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import { type ExportPosition, RowExporter } from './export-rows.ts'
import { RowPager } from './page-rows.ts'
import { RowReader } from './read-row.ts'
import { SubjectIndex } from './subject-index.ts'
import { verifyLedger } from './verify-ledger.ts'

const HOUR_MS = 3_600_000
type LedgerFile = Awaited<ReturnType<typeof openLedgerFile>>

const filter = fc
  .record({
    subject: subjectFilter,
    state: fc.option(fc.constantFrom('settled' as const, 'void' as const), { nil: undefined, freq: 2 }),
    sinceMs: fc.option(fc.integer({ min: -45, max: 65 }), { nil: undefined }),
    untilMs: fc.option(fc.integer({ min: -45, max: 65 }), { nil: undefined }),
  })
  .map(
    ({ subject, state, sinceMs, untilMs }): RowFilter => ({
      ...subject,
      state,
      sinceMs: sinceMs === undefined ? undefined : LEDGER_START_MS + sinceMs * HOUR_MS - 77_777,
      untilMs: untilMs === undefined ? undefined : LEDGER_START_MS + untilMs * HOUR_MS + 77_777,
    }),
  )

function fitsRow(row: LedgerRow, asked: RowFilter): boolean {
  const { key, user, group, model, channel, tags = {}, state, sinceMs = 0, untilMs = Infinity } = asked
  return (
    (key === undefined || row.keyId === key || row.keyName === key) &&
    (user === undefined || row.userName === user) &&
    (group === undefined || row.group === group) &&
    (model === undefined || row.model === model) &&
    (channel === undefined || row.channel === channel) &&
    (state === undefined || row.state === state) &&
    row.endedAtMs >= sinceMs &&
    row.endedAtMs < untilMs &&
    fitsOwners(row, asked) &&
    Object.entries(tags).every(([name, value]) => row.tags[name] === value)
  )
}

const batches = fc.array(fc.tuple(ledgerRows, fc.option(fc.integer({ min: -40, max: 70 }))), {
  minLength: 1,
  maxLength: 3,
})

/** Rows as they were committed; each has its number from 1 on. */
function write(file: LedgerFile, list: typeof batches extends fc.Arbitrary<infer Value> ? Value : never) {
  const rows: LedgerRow[] = []
  for (const [batch, sealAt] of list) {
    const renamed = renumberRows(batch, rows.length + 1)
    file.commit(batchOf({ rows: renamed }))
    rows.push(...renamed)
    if (sealAt !== null) file.sealAll(LEDGER_START_MS + sealAt * HOUR_MS)
  }
  return rows
}

function open({ database }: LedgerFile) {
  const subjects = new SubjectIndex(database)
  return {
    pager: new RowPager({ database, subjects, rows: new RowReader(database, subjects) }),
    exporter: new RowExporter(database, subjects, 4),
  }
}

function exportAll(
  { exporter }: ReturnType<typeof open>,
  query: Parameters<RowExporter['chunk']>[0],
): string {
  let position: ExportPosition | undefined
  let text = ''
  do {
    const chunk = exporter.chunk(query, position)
    text += Buffer.from(chunk.bytes).toString('utf8')
    position = chunk.position
  } while (position !== undefined)
  return text
}

describe('ledger rows', () => {
  test('come back unchanged, filtered and page by page, the newest first', async () => {
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.array(fc.tuple(filter, fc.integer({ min: 1, max: 7 })), { minLength: 1, maxLength: 4 }),
        async (list, queries) => {
          const file = await openLedgerFile()
          const rows = write(file, list)
          const { pager } = open(file)
          for (const [asked, limit] of queries) {
            const found = []
            for (let before: number | undefined; ; ) {
              const page = pager.page({ ...asked, limit, before }, () => false)
              expect(page.rows.length).toBeLessThanOrEqual(limit)
              found.push(...page.rows)
              if (page.next === undefined) break
              before = page.next
            }
            const expected = rows.map((row, index) => ({ number: index + 1, row }))
            expect(found).toEqual(expected.filter(({ row }) => fitsRow(row, asked)).toReversed())
          }
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)

  test('are all found when every page ends early for lack of time', async () => {
    const file = await openLedgerFile()
    const hours = Array.from({ length: 6 }, (_, hour) => LEDGER_START_MS + hour * HOUR_MS)
    const rows = hours.map((endedAtMs, hour) =>
      createLedgerRow(hour + 1, { endedAtMs, model: hour % 3 === 0 ? 'rare' : 'fast' }),
    )
    file.commit(batchOf({ rows }))
    const { pager } = open(file)
    for (const asked of [{ model: 'rare' }, { key: 'ci' }, {}, { sinceMs: LEDGER_START_MS + HOUR_MS }]) {
      const found: number[] = []
      const ends: number[] = []
      for (let before: number | undefined; ; before = ends.at(-1)) {
        const page = pager.page({ ...asked, limit: 5, before }, () => true)
        found.push(...page.rows.map(({ number }) => number))
        if (page.next === undefined) break
        expect(page.next).toBeLessThan(before ?? Number.MAX_SAFE_INTEGER)
        ends.push(page.next)
      }
      const expected = rows.flatMap((row, index) => (fitsRow(row, asked) ? [index + 1] : []))
      expect(found).toEqual(expected.toReversed())
    }
  })

  test('of a request are its attempts in their order, and their corrections', async () => {
    const file = await openLedgerFile()
    const { requestId } = createLedgerRow(1)
    const attempts = [2, 1].map((attempt) => createLedgerRow(attempt, { requestId, attempt }))
    const correction = createLedgerRow(9, {
      requestId,
      attempt: 2,
      flags: { corrects: createLedgerRow(2).id },
    })
    file.commit(batchOf({ rows: [...attempts, createLedgerRow(5), correction] }))
    const found = open(file).pager.ofRequest(requestId)
    expect(found.map(({ row }) => row)).toEqual([attempts[1], attempts[0], correction])
  })
})

describe('an export', () => {
  test('has a line for each matching row, the oldest first', async () => {
    await fc.assert(
      fc.asyncProperty(batches, filter, async (list, asked) => {
        const file = await openLedgerFile()
        const rows = write(file, list)
        const wanted = rows.filter((row) => fitsRow(row, asked))
        const lines = exportAll(open(file), { ...asked, format: 'jsonl' }).split('\n')
        expect(lines.pop()).toBe('')
        expect(lines.map(readLine)).toEqual(wanted.map(describeRow))
        const table = exportAll(open(file), { ...asked, format: 'csv' })
          .trimEnd()
          .split('\n')
        expect(table.slice(1).map((line) => line.split(',')[5])).toEqual(wanted.map(({ id }) => id))
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  test('in CSV has no cell that a spreadsheet would run as a formula, and quotes cells with commas', async () => {
    const file = await openLedgerFile()
    const row = createLedgerRow(1, {
      keyName: '=HYPERLINK("http://x")',
      tags: { team: '@sum', area: 'a,b' },
      channel: 'plain',
      flags: { clamped: true, failed: true },
    })
    file.commit(batchOf({ rows: [row] }))
    expect(exportAll(open(file), { format: 'csv' }).split('\n')).toEqual([
      'number,ended_at,duration_ms,request_id,attempt,id,key_id,key,user,group,model,channel,upstream_model,price_version,tags,state,tier,fresh_input_tokens,cache_read_tokens,cache_write_short_tokens,cache_write_long_tokens,output_tokens,reasoning_tokens,input_audio_tokens,input_image_tokens,cache_read_audio_tokens,output_audio_tokens,output_image_tokens,accepted_prediction_tokens,rejected_prediction_tokens,tool_calls,usage_estimated,cost_usd,charged_usd,flags,corrects',
      `1,2026-11-20T12:00:01.500Z,1500,${row.requestId},1,${row.id},key_1,"'=HYPERLINK(""http://x"")",,,fast,plain,gpt,openai/gpt@2026-11-01,"{""area"":""a,b"",""team"":""@sum""}",settled,standard,7,3,0,0,5,0,0,0,0,0,0,0,0,,false,0.000001,0.0000011,clamped failed,`,
      '',
    ])
  })
})

function readLine(line: string): unknown {
  return JSON.parse(line)
}

function describeRow(row: LedgerRow, _index: number) {
  const { toolCalls, isEstimated: estimated, ...classes } = row.usage
  const word = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const { corrects = null, ...flags } = row.flags
  return {
    number: expect.any(Number),
    ended_at: new Date(row.endedAtMs).toISOString(),
    duration_ms: row.endedAtMs - row.startedAtMs,
    request_id: row.requestId,
    attempt: row.attempt,
    id: row.id,
    key_id: row.keyId,
    key: row.keyName,
    user: row.userName ?? null,
    group: row.group ?? null,
    tags: row.tags,
    model: row.model,
    channel: row.channel,
    upstream_model: row.upstreamModel,
    price_version: row.priceVersion ?? null,
    state: row.state,
    tier: row.tier,
    usage: {
      ...Object.fromEntries(Object.entries(classes).map(([name, count]) => [word(name), count])),
      tool_calls: toolCalls,
      estimated,
    },
    cost_usd: row.cost / 1e9,
    charged_usd: row.charged / 1e9,
    flags: expect.toSatisfy(
      (list: readonly string[]) => list.toSorted().join() === Object.keys(flags).map(word).toSorted().join(),
    ),
    corrects,
  }
}

function check({ database }: LedgerFile, nowMs = LEDGER_START_MS) {
  const steps = verifyLedger(database, nowMs)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

describe('the check of the ledger', () => {
  test('finds no difference in valid rows', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (list) => {
        const file = await openLedgerFile()
        const rows = write(file, list)
        expect(check(file)).toMatchObject({ rows: rows.length, prunedRows: 0, differences: [] })
      }),
      { numRuns: 30 },
    )
  }, 120_000)

  const damages: readonly (readonly [what: string, sql: string, difference: string])[] = [
    ['a row that is gone', 'delete from ledger where number = 1', 'attempts of subject 1'],
    [
      'a row that is not the same',
      'update ledger set output = 6 where number = 2',
      'output of subject 1, tags 0, quarter 0, is 10, of its rows 11',
    ],
    ['a sum of an open hour', 'update open_cells set cost = cost + 1', 'cost of subject 1'],
    [
      'a window',
      'update windows set spent = spent - 1 where id = 1',
      'the window of a from 1970-01-01T00:00:00.000Z has 9 nano-dollars, its rows 10',
    ],
    ['a day', 'delete from day_cells', 'usage of the day'],
    ['an hour', 'delete from hour_cells', 'usage of the hour'],
    ['an hour without its rows', 'delete from hours where first_number = 1', '2 rows belong to no hour'],
  ]
  test.each(damages)('finds %s', async (_what, sql, difference) => {
    const file = await openLedgerFile()
    const row = (number: number) => createLedgerRow(number, { counted: [counted('a', 5)] })
    file.commit(batchOf({ rows: [row(1), row(2)] }))
    file.commit(batchOf({ rows: [createLedgerRow(3, { endedAtMs: LEDGER_START_MS - 5 * HOUR_MS })] }))
    file.sealAll(LEDGER_START_MS - HOUR_MS)
    expect(check(file).differences).toEqual([])
    file.database.exec(sql)
    expect(check(file).differences.join('\n')).toContain(difference)
  })

  test('names a hold that expired and is not settled', async () => {
    const file = await openLedgerFile()
    const intent = createLedgerIntent(1)
    file.commit(batchOf({ intents: [intent] }))
    expect(check(file, intent.expiresAtMs)).toMatchObject({ openIntents: 1, differences: [] })
    expect(check(file, intent.expiresAtMs + 1).differences).toEqual([
      `the hold of ${intent.id} expired at 2026-11-20T12:10:00.000Z and is not settled`,
    ])
  })
})
