import { Command } from 'commander'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { pageCaptured } from '../../src/admin/requests/page-captured.ts'
import { requestListSchema } from '../../src/admin/requests/request-contract.ts'
import type { CaptureStore, StoredCapture } from '../../src/capture/capture-store.ts'
import { registerLogsCommand } from '../../src/cli/logs.ts'
import { packRow } from '../../src/request-log/pack-row.ts'
import type { RequestQuery, StoredSummary } from '../../src/request-log/request-log-store.ts'
import { openCaptureStore } from '../../src/storage/open-capture-store.ts'
import { openRequestLog } from '../../src/storage/request-log/open-request-log.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { joinRows } from '../support/join-rows.ts'
import { createRequestRow } from '../support/request-row.ts'
import { startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const START_MS = Date.UTC(2026, 10, 20)
const ROWS = 1_500

const idOf = (index: number) => `req_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const isCaptured = (index: number) => index % 2 === 0 || index % 7 === 0

function captureOf({ requestId, model, status, endedAtMs }: StoredSummary): StoredCapture {
  return {
    requestId,
    keyId: 'key_1',
    keyName: 'ci',
    user: undefined,
    group: undefined,
    model,
    operation: 'chat',
    status,
    atMs: endedAtMs,
    hasPrompt: true,
    hasAnswer: false,
    content: Buffer.alloc(8),
  }
}

/** A log in which neighbours end out of order, as rows of several workers do, and the captures of many of them. */
async function openStores() {
  const folder = makeTemporaryFolder()
  const log = await openRequestLog(folder)
  onTestFinished(() => log.close())
  const rows = Array.from({ length: ROWS }, (_, index) =>
    createRequestRow({
      requestId: idOf(index),
      model: index % 3 === 0 ? 'x' : 'y',
      status: index % 5 === 0 ? 503 : 200,
      isStream: index % 11 === 0,
      endedAtMs: START_MS + Math.floor(index / 4) * 40 - (index % 4) * 90,
    }),
  )
  await log.append(joinRows(rows.map(packRow)))
  const { rows: stored } = await log.page({ limit: ROWS })
  const captures: CaptureStore = await openCaptureStore(folder)
  onTestFinished(() => captures.close())
  await captures.append(
    stored.filter(({ requestId }) => isCaptured(Number(requestId.slice(-12)))).map(captureOf),
  )
  return { log, captures, stored }
}

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const queries = fc.record({
  key: maybe(fc.constantFrom('ci', 'key_1', 'nobody')),
  model: maybe(fc.constantFrom('x', 'none')),
  status: maybe(fc.constant<readonly [number, number]>([500, 599])),
  isStream: maybe(fc.boolean()),
  before: maybe(fc.integer({ min: 1, max: ROWS + 5 })),
  after: maybe(fc.integer({ min: 1, max: ROWS + 5 })),
  limit: fc.integer({ min: 1, max: 400 }),
})

it('a page of captured requests equals a filter over all rows', async () => {
  const { log, captures, stored } = await openStores()
  const fits = (row: StoredSummary, query: RequestQuery) =>
    isCaptured(Number(row.requestId.slice(-12))) &&
    query.key !== 'nobody' &&
    (query.model === undefined || row.model === query.model) &&
    (query.status === undefined || row.status >= 500) &&
    (query.isStream === undefined || row.isStream === query.isStream) &&
    row.id < (query.before ?? Number.POSITIVE_INFINITY) &&
    row.id > (query.after ?? 0)
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const wanted = stored.filter((row) => fits(row, query)).map(({ id }) => id)
      const { rows, hasMore } = await pageCaptured({ log, captures }, query)
      expect(rows.map(({ id }) => id)).toEqual(wanted.slice(0, query.limit))
      expect(hasMore).toBe(wanted.length > query.limit)
    }),
    { numRuns: 60 },
  )
})

/** Prints what `headgate logs` prints. */
async function runLogs(folder: string, ...argv: readonly string[]): Promise<string> {
  let out = ''
  const program = new Command('headgate').exitOverride()
  registerLogsCommand(program, {
    dataFolder: () => folder,
    adminToken: () => testAdminToken,
    io: {
      write: (text) => {
        out += text
      },
      writeError: () => undefined,
      isTerminal: false,
      setExitCode: () => undefined,
    },
  })
  await program.parseAsync(['node', 'headgate', 'logs', ...argv])
  return out
}

it('a list of requests can be limited to captured ones, page by page', async () => {
  const yaml = `channels: [{ name: demo, provider: demo }]
keys:
  - { name: seen, secret: ${testKey}, models: ["*"], group: search }
  - { name: plain, secret: sk-plain-0123456789abcdef, models: ["*"] }
groups: { search: { models: ["*"] } }
capture: { groups: { search: both } }
`
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  const list = async (query: string) =>
    requestListSchema.parse((await admin('GET', `/requests${query}`)).body)
  for (const key of [testKey, 'sk-plain-0123456789abcdef', testKey]) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
    })
    await response.text()
  }
  await expect.poll(async () => (await list('')).data.length).toBe(3)
  await expect.poll(async () => (await list('?captured=true')).data.length).toBe(2)
  const first = await list('?captured=true&limit=1')
  expect(first).toMatchObject({ data: [{ key: 'seen', captured: true }], has_more: true })
  const second = await list(`?captured=true&limit=1&before=${first.next}`)
  expect(second).toMatchObject({ data: [{ key: 'seen', captured: true }], has_more: false, next: null })
  expect((await list('?captured=true&key=plain')).data).toEqual([])
  expect((await admin('GET', '/requests?captured=yes')).status).toBe(400)
  const shown = async () => (await runLogs(gateway.dataFolder, '--captured', '--json')).trim().split('\n')
  expect((await shown()).map((line) => JSON.parse(line).request_id).toSorted()).toEqual(
    [...first.data, ...second.data].map(({ request_id: id }) => id).toSorted(),
  )
  // A capture that is deleted leaves the list at once.
  await admin('DELETE', `/captures/${first.data[0]?.request_id}`)
  expect((await list('?captured=true')).data).toEqual(second.data)
})
