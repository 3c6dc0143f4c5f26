import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ledgerCheckSchema, rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { usageReportSchema } from '../../src/admin/ledger/usage-contract.ts'
import { startGatewayWithRows } from '../support/ledger-gateway.ts'
import { createLedgerRow, LEDGER_START_MS, nano, requestIdOf } from '../support/ledger-row.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'

const HOUR_MS = 3_600_000

/** The rows fall on two days by the clock of Berlin, where the first begins at 23:00 UTC. */
const rows = [
  createLedgerRow(1, { endedAtMs: Date.UTC(2026, 10, 19, 22, 59), model: 'fast', cost: nano(1_000_000_001) }),
  createLedgerRow(2, { endedAtMs: Date.UTC(2026, 10, 19, 23, 1), model: 'fast', keyName: 'new-name' }),
  createLedgerRow(3, { model: 'slow', tags: { team: 'a,b' }, group: 'search' }),
  createLedgerRow(4, {
    requestId: requestIdOf(3),
    attempt: 2,
    state: 'void',
    cost: nano(0),
    charged: nano(0),
  }),
  createLedgerRow(5, { model: '=slow', flags: { clamped: true, failed: true } }),
]
const span = 'since=2026-11-01&until=2026-12-01'

async function open() {
  const gateway = await startGatewayWithRows(rows, LEDGER_START_MS + 2 * HOUR_MS)
  const { admin, url } = gateway
  const report = async (query: string) =>
    usageReportSchema.parse((await admin('GET', `/usage?${query}`)).body)
  const download = (query: string) =>
    fetch(`${url}/admin/v1/ledger/export?${query}`, {
      headers: { authorization: `Bearer ${testAdminToken}` },
    })
  return { ...gateway, report, download }
}

let scene: Awaited<ReturnType<typeof open>>
beforeAll(async () => {
  scene = await open()
})
// Nothing is open where the suite is skipped.
afterAll(() => scene?.[Symbol.asyncDispose]())

describe('GET /admin/v1/usage', () => {
  it('groups by several dimensions, days in the time zone, with the totals of all', async () => {
    const { data, totals, ...rest } = await scene.report(`${span}&by=key,day,model&time_zone=Europe/Berlin`)
    expect(rest).toEqual({
      by: ['key', 'day', 'model'],
      since: '2026-10-31T23:00:00.000Z',
      until: '2026-11-30T23:00:00.000Z',
      time_zone: 'Europe/Berlin',
      has_more: false,
      next: null,
    })
    const key = { key: 'ci', key_id: 'key_1' }
    expect(
      data.map(({ by, requests, attempts, failed, cost_usd: cost }) => [
        by,
        requests,
        attempts,
        failed,
        cost,
      ]),
    ).toEqual([
      [{ ...key, day: '2026-11-19', model: 'fast' }, 1, 1, 0, 1.000000001],
      [{ ...key, day: '2026-11-20', model: '=slow' }, 1, 1, 1, 0.000001],
      [{ ...key, day: '2026-11-20', model: 'fast' }, 1, 2, 1, 0.000001],
      [{ ...key, day: '2026-11-20', model: 'slow' }, 1, 1, 0, 0.000001],
    ])
    expect(totals).toMatchObject({ requests: 4, attempts: 5, cost_usd: 1.000003001, charged_usd: 0.0000044 })
    expect(totals.usage).toMatchObject({ fresh_input_tokens: 35, cache_read_tokens: 15, output_tokens: 25 })
  })

  it('has hours with their offset from UTC', async () => {
    const { data } = await scene.report(`${span}&by=hour&model=slow&time_zone=Asia/Kathmandu`)
    expect(data.map(({ by }) => by)).toEqual([{ hour: '2026-11-20T17:00:00+05:45' }])
  })

  it('reports 130 years by the hour quickly, with only the hours that have usage', async () => {
    const { data, totals } = await scene.report('since=1970-01-01&until=2100-01-01&by=hour')
    expect([data.length, totals.attempts]).toEqual([3, 5])
  })

  it('covers no time before its start, where the start is in the future', async () => {
    const { since, until, data } = await scene.report('since=2100-01-01')
    expect([since, until, data]).toEqual(['2100-01-01T00:00:00.000Z', '2100-01-01T00:15:00.000Z', []])
  })

  it('pages through groups, the most expensive first, each once', async () => {
    const names: unknown[] = []
    for (let after = ''; ; ) {
      const { data, next, totals } = await scene.report(`${span}&by=model,tag:team&limit=2${after}`)
      names.push(...data.map(({ by }) => by))
      expect(totals.attempts).toBe(5)
      if (next === null) break
      after = `&after=${next}`
    }
    expect(names).toEqual([
      { model: 'fast', 'tag:team': null },
      { model: '=slow', 'tag:team': null },
      { model: 'slow', 'tag:team': 'a,b' },
    ])
  })

  it('applies the filters, also percent-encoded tags', async () => {
    for (const filter of ['tags=team%3Da%252Cb', 'group=search', 'model=slow', 'key=ci&model=slow'])
      expect([filter, (await scene.report(`${span}&${filter}`)).totals.attempts]).toEqual([filter, 1])
    expect((await scene.report(`${span}&key=nobody`)).data).toEqual([])
  })

  it.each([
    ['by=key,key', 'by'],
    ['by=key,user,group,model,channel', 'by'],
    ['by=colour', 'by'],
    ['since=soon', 'since'],
    ['since=2026-11-02&until=2026-11-01', 'until'],
    ['time_zone=Mars', 'time_zone'],
    ['tags=team', 'tags'],
    ['tags=team%3Da%2Cteam%3Db', 'tags'],
    ['by=key&after=abc', 'after'],
    ['limit=1001', 'limit'],
    ['order=up', 'order'],
    ['nothing=1', 'nothing'],
  ])('refuses %s and names %s', async (query, param) => {
    expect(await scene.admin('GET', `/usage?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_field', param } },
    })
  })
})

describe('GET /admin/v1/ledger', () => {
  it('lists rows that match every filter, newest first, page by page', async () => {
    const numbers: number[] = []
    for (let before = ''; ; ) {
      const { body } = await scene.admin('GET', `/ledger?${span}&key=key_1&limit=2${before}`)
      const { data, next } = rowListSchema.parse(body)
      numbers.push(...data.map(({ number }) => number))
      if (next === null) break
      before = `&before=${next}`
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    const { body } = await scene.admin('GET', '/ledger?tags=team%3Da%252Cb')
    expect(rowListSchema.parse(body).data).toMatchObject([
      {
        number: 3,
        key: 'ci',
        key_id: 'key_1',
        group: 'search',
        tags: { team: 'a,b' },
        attempt: 1,
        state: 'settled',
        tier: 'standard',
        duration_ms: 1_500,
        flags: [],
        corrects: null,
        cost_usd: 0.000001,
        charged_usd: 0.0000011,
        usage: { output_tokens: 5, estimated: false },
      },
    ])
  })

  it('lists the attempts of a request in their order', async () => {
    const path = `/ledger?request_id=${requestIdOf(3)}`
    const { body } = await scene.admin('GET', path)
    expect(rowListSchema.parse(body).data.map(({ number, attempt }) => [number, attempt])).toEqual([
      [3, 1],
      [4, 2],
    ])
    expect(await scene.admin('GET', `${path}&state=void`)).toMatchObject({
      status: 400,
      body: { error: { param: 'state' } },
    })
  })
})

describe('GET /admin/v1/ledger/export', () => {
  it('has a line for each complete row, as CSV and as JSON', async () => {
    const csv = await scene.download('model=%3Dslow')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [header = '', line = '', ...more] = (await csv.text()).split('\n')
    expect(header).toMatch(/^number,ended_at,duration_ms,request_id,/)
    expect(line).toMatch(
      /^5,2026-11-20T12:00:01\.500Z,1500,.*,ci,.*,'=slow,.*,0\.000001,0\.0000011,clamped failed,$/,
    )
    expect(more).toEqual([''])
    const lines = (await (await scene.download('format=jsonl')).text()).trimEnd().split('\n')
    const listed = await scene.admin('GET', '/ledger')
    const { data } = rowListSchema.parse(listed.body)
    const exported = lines.map((each): unknown => JSON.parse(each))
    expect(exported).toEqual(data.toReversed())
  })

  it('refuses an unknown format, with an error', async () => {
    const answer = await scene.download('format=xlsx')
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'format' } }])
  })
})

describe('POST /admin/v1/ledger/verify', () => {
  it('reports that the ledger adds up, and the place of a row that was changed', async () => {
    await using changed = await open()
    const good = ledgerCheckSchema.parse((await changed.admin('POST', '/ledger/verify')).body)
    expect(good).toMatchObject({ adds_up: true, rows: 5, difference_count: 0, differences: [] })
    const database = new DatabaseSync(ledgerFileIn(changed.dataFolder))
    database.exec('update ledger set cost = cost + 1 where number = 3')
    database.close()
    const bad = ledgerCheckSchema.parse((await changed.admin('POST', '/ledger/verify')).body)
    expect(bad.adds_up).toBe(false)
    expect(bad.differences.join()).toContain('2026-11-20T12:00:00.000Z: cost')
  })
})

it('reports require the token', async () => {
  for (const [method, path] of [
    ['GET', '/usage'],
    ['GET', '/ledger'],
    ['GET', '/ledger/export'],
    ['POST', '/ledger/verify'],
  ] as const)
    expect((await scene.admin(method, path, { token: 'wrong' })).status).toBe(401)
})
