import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import { testAdminToken, testKey } from '../support/start-gateway.ts'
import { type StartedProcess, startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

/** The warm-up works for 7 s, on a machine that others use as well. */
const WITHIN_MS = 60_000

const answer = {
  headers: { 'content-type': 'application/json' },
  chunks: [
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  ],
}

function start({ origin }: ScriptedUpstream, folder?: string): Promise<StartedProcess> {
  const channel = (model: string, provider: string) =>
    `  - { name: ${model}, provider: ${provider}, base_url: "${origin}/v1", api_key: upstream-key-0123456789, allow_private: true, models: [${model}] }\n`
  const yaml = `log: { level: info }
keys: [{ name: test, secret: ${testKey}, models: ["*"], budgets: [{ limit_usd: 5, window: day, mode: exact }] }]
models: { m: { price: { input: 1, output: 2 } }, n: { price: { input: 1, output: 2 } } }
channels:
${channel('m', 'openai-compatible')}${channel('n', 'anthropic-compatible')}`
  const environment = { HEADGATE_WARM_UP: 'on', HEADGATE_ADMIN_TOKEN: testAdminToken }
  return startProcess(yaml, {}, { environment, folder })
}

function warmUpFolders({ folder }: Pick<StartedProcess, 'folder'>): readonly string[] {
  return readdirSync(join(folder, 'data')).filter((name) => name.startsWith('warm-up-'))
}

function untilBegun(process: StartedProcess): Promise<void> {
  return until('the warm-up begins', () => warmUpFolders(process).length > 0, { deadlineMs: WITHIN_MS })
}

function untilOver(process: StartedProcess): Promise<void> {
  return until('the warm-up is over', () => warmUpFolders(process).length === 0, { deadlineMs: WITHIN_MS })
}

it(
  'an idle process serves requests to itself, and records none of them',
  async () => {
    await using upstream = await openScriptedUpstream(answer)
    await using process = await start(upstream)
    await untilBegun(process)
    await untilOver(process)
    const admin = createAskAdmin(process.url)
    await admin('GET', '/requests')
    // The line of the request above comes after all that were written before it.
    await until('its line is written', () => process.output().includes('/admin/v1/requests'))
    expect(process.output().match(/"msg":"request"/g)).toHaveLength(1)
    const metrics = await (await fetch(`${process.url}/metrics`)).text()
    expect(metrics).not.toMatch(/^headgate_requests_total\{.*\} [1-9]/m)
    expect((await admin('GET', '/requests')).body).toMatchObject({ data: [] })
    expect((await admin('GET', '/ledger')).body).toMatchObject({ data: [] })
    expect(upstream.requests).toHaveLength(0)
    expect(process.errors()).not.toContain('warm-up')
  },
  2 * WITHIN_MS,
)

it(
  'a caller is answered while the process warms itself up',
  async () => {
    await using upstream = await openScriptedUpstream(answer)
    await using process = await start(upstream)
    await untilBegun(process)
    const response = await fetch(`${process.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { choices: [{}] }])
    expect(upstream.requests).toHaveLength(1)
  },
  WITHIN_MS,
)

it(
  'a process that gets a stop signal ends its warm-up, and removes its folder',
  async () => {
    await using upstream = await openScriptedUpstream(answer)
    await using process = await start(upstream)
    await untilBegun(process)
    const ended = once(process.child, 'exit')
    process.child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(warmUpFolders(process)).toEqual([])
    expect(process.errors()).not.toContain('warm-up')
  },
  WITHIN_MS,
)

it(
  'the next process removes the folder of one that was killed in its warm-up',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-'))
    await using upstream = await openScriptedUpstream(answer)
    const killed = await start(upstream, folder)
    await untilBegun(killed)
    await killed[Symbol.asyncDispose]()
    const [left] = warmUpFolders({ folder })
    expect(left).toBeDefined()
    await using process = await start(upstream, folder)
    const isRemoved = () => !warmUpFolders(process).includes(left ?? '')
    await until('the folder is removed', isRemoved, { deadlineMs: WITHIN_MS })
    rmSync(folder, { recursive: true, force: true })
  },
  WITHIN_MS,
)
