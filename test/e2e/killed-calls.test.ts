// Calls whose usage is not visible before their end, in a process that is killed meanwhile.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openBatchUpstream, upstreamKey } from '../support/batch-upstream.ts'
import { lineOf } from '../support/open-batch-gateway.ts'
import { openRealtimeUpstream } from '../support/realtime-upstream.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { openSocket } from '../support/socket-client.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const LIMIT_MS = 120_000
const key = 'sk-killed-0123456789abcdef'

/** One model at 1 dollar a million tokens of input and 2 of output, and a key with an exact budget. */
function writeConfig(provider: string, origin: string): string {
  return `log: { level: silent }
keys:
  - { name: ci, secret: ${key}, passthrough: [direct], budgets: [{ limit_usd: 10, window: total, mode: exact, at_limit: refuse }] }
models: { m: { max_output_tokens: 1000, context_window: 4000, price: { input: 1, output: 2 } } }
channels:
  - name: direct
    provider: ${provider}
    base_url: "${origin}/v1"
    api_key: ${upstreamKey}
    allow_private: true
    models: { m: upstream-m }
    passthrough: [{ path: /flat, price: 0.25 }, { path: /chat/completions, price: usage }]
`
}

/** Starts a gateway, kills it once `work` has been done, and gives the rows that the next start finds or writes. */
async function killAfter(yaml: string, work: (started: StartedProcess) => Promise<void>) {
  const options = {
    folder: makeTemporaryFolder(),
    startsWithinMs: LIMIT_MS,
    environment: { HEADGATE_ADMIN_TOKEN: testAdminToken },
  }
  {
    await using started = await startProcess(yaml, {}, options)
    await work(started)
  }
  await using again = await startProcess(yaml, {}, options)
  const { body } = await createAskAdmin(again.url)('GET', '/ledger?limit=200')
  return rowListSchema
    .parse(body)
    .data.map(({ charged_usd, cost_usd, flags, state }) => ({ charged_usd, cost_usd, flags, state }))
}

const estimate = (usd: number | undefined) => ({
  state: 'estimated',
  cost_usd: usd,
  charged_usd: usd,
  flags: ['usage_missing', 'orphaned'],
})

it('a batch whose creation a crash cuts costs the maximum of its lines', { timeout: LIMIT_MS }, async () => {
  await using upstream = await openBatchUpstream()
  const rows = await killAfter(writeConfig('openai', upstream.origin), async ({ url }) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
    const lines = [lineOf(1, { maxTokens: 900 }), lineOf(2, { maxTokens: 900 })]
    const { id } = await client.files.create({
      file: new File([`${lines.join('\n')}\n`], 'requests.jsonl'),
      purpose: 'batch',
    })
    upstream.failNext({ ending: 'silence' })
    const asked = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
    client.batches.create(asked).catch(() => undefined)
    await until('the provider is asked for the batch', () => upstream.requests.length === 2)
  })
  expect(rows).toHaveLength(1)
  expect(Number(rows[0]?.charged_usd)).toBeGreaterThanOrEqual(0.0036)
  expect(rows).toEqual([estimate(rows[0]?.charged_usd)])
})

it.each([
  // 4,000 tokens of input at 1 dollar a million, and 1,000 of output at 2.
  ['the price of usage', '/chat/completions', '{"model":"upstream-m","messages":[]}', 0.006],
  ['a price for each call', '/flat', '{}', 0.25],
])(
  'a passed-through call at %s that a crash cuts costs what was held for it',
  { timeout: LIMIT_MS },
  async (_what, path, body, usd) => {
    await using upstream = await openScriptedUpstream({ ending: 'silence' })
    const rows = await killAfter(writeConfig('openai', upstream.origin), async ({ url }) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      fetch(`${url}/passthrough/direct${path}`, { method: 'POST', headers, body }).catch(() => undefined)
      await until('the provider is asked', () => upstream.requests.length === 1)
    })
    expect(rows).toEqual([estimate(usd)])
  },
)

it('a response of a session that a crash cuts costs what was held for it, and an idle session nothing', {
  timeout: LIMIT_MS,
}, async () => {
  await using upstream = await openRealtimeUpstream({ isManual: true })
  const rows = await killAfter(writeConfig('openai', upstream.origin), async ({ url, folder }) => {
    const path = '/v1/realtime?model=m'
    const [idle, talking] = [await openSocket(url, { key, path }), await openSocket(url, { key, path })]
    await Promise.all([idle.next('session.created'), talking.next('session.created')])
    talking.send({ type: 'response.create' })
    const ledger = new DatabaseSync(join(folder, 'data', 'ledger.db'), { readOnly: true })
    const checkpoints = ledger.prepare('select 1 from checkpoints')
    await until('the response has its checkpoint', () => checkpoints.all().length === 1)
    ledger.close()
  })
  const [ofIdle, ofResponse] = rows.map(({ charged_usd }) => charged_usd).toSorted()
  expect(ofIdle).toBe(0)
  // 1,000 tokens of output, and a bound of the input.
  expect(ofResponse).toBeGreaterThan(0.002)
})
