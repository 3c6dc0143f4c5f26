// The cost of a background response is known when the response is read: its row is then corrected.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { type BackgroundState, createBackgroundScript } from '../support/background-upstream.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { openScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'
import { untilAsync } from '../support/until.ts'

const secret = 'sk-background-0123456789'
const used = { input_tokens: 10, output_tokens: 100, total_tokens: 110 }
/** In nano-dollars, for 1 and 2 dollars a million. */
const COST = 210_000
/** 1,000 tokens of output hold 2,000,000; two of them do not fit. */
const small = 'budgets: [{ limit_usd: 0.003, window: day, at_limit: refuse }]'

interface OpenOptions {
  readonly upstream: ScriptedUpstream
  /** More terms of the key. */
  readonly key?: string
  readonly more?: string
  readonly price?: string
  readonly folder?: string
}

async function open({ upstream, key = small, more = '', price = '1', folder }: OpenOptions) {
  const gateway = await startGateway(
    `keys: [{ name: ci, secret: ${secret}, ${key} }]
models: { m: { price: { input: ${price}, output: 2 } } }
${more}${channelYaml({ name: 'first', format: 'responses', origin: upstream.origin, models: ['m'] })}`,
    folder,
  )
  const admin = createAskAdmin(gateway.url)
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text().catch(() => '') }
  }
  return {
    gateway,
    admin,
    send,
    ask: (fields: object = {}) =>
      send('POST', '/v1/responses', {
        model: 'm',
        input: 'Hi',
        background: true,
        max_output_tokens: 1_000,
        ...fields,
      }),
    leaveStream: () => leaveStream(gateway.url),
    async spent(): Promise<number> {
      const { text } = await send('GET', '/v1/key')
      return JSON.parse(text).data.budgets[0].spent_usd
    },
    async usage() {
      const { body } = await admin('GET', '/usage')
      return (body as { readonly totals: { charged_usd: number; estimated: number; requests: number } })
        .totals
    },
    async rows() {
      const { body } = await admin('GET', '/ledger')
      return (body as { readonly data: readonly Row[] }).data.toReversed()
    },
    verify: async () => (await admin('POST', '/ledger/verify')).body,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

interface Row {
  readonly id: string
  readonly corrects: string | null
  readonly cost_usd: number
  readonly charged_usd: number
  readonly ended_at: string
  readonly state: string
  readonly flags: readonly string[]
  readonly usage: { readonly output_tokens: number }
}

/** Asks for a stream, and leaves it as soon as it shows its id. */
async function leaveStream(url: string): Promise<string> {
  const { body } = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      input: 'Hi',
      background: true,
      stream: true,
      max_output_tokens: 1_000,
    }),
  })
  let text = ''
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    const [, id] = /"id":"(resp_\w+)"/.exec(text) ?? []
    if (id !== undefined) return id
  }
  throw new Error('the stream ended without an id')
}

type Opened = Awaited<ReturnType<typeof open>>

const idOf = ({ text }: { readonly text: string }): string => JSON.parse(text).id

/** Waits until the ledger has so many rows. */
async function untilRows(opened: Opened, count: number): Promise<readonly Row[]> {
  await untilAsync(`there are ${count} rows`, async () => (await opened.rows()).length >= count)
  return opened.rows()
}

const sumOf = (rows: readonly Row[], name: 'cost_usd' | 'charged_usd') =>
  Math.round(rows.reduce((sum, row) => sum + row[name], 0) * 1e9)

describe('a background response', () => {
  it('costs what its provider states once it is read, and releases the rest of the reserved amount', async () => {
    const state: BackgroundState = { status: 'in_progress', usage: null }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream })
    const { ask, send, spent, usage, verify } = opened
    const id = idOf(await ask())
    expect((await ask()).status).toBe(429)
    expect((await send('GET', `/v1/responses/${id}`)).text).toContain('in_progress')
    await untilAsync('the budget has the estimate', async () => (await spent()) > 0.002)
    Object.assign(state, { status: 'completed', usage: used })
    expect((await send('GET', `/v1/responses/${id}`)).text).toContain('completed')
    const [estimate, correction, ...others] = await untilRows(opened, 2)
    expect(others).toEqual([])
    expect(estimate).toMatchObject({ state: 'estimated', corrects: null, flags: ['usage_missing'] })
    expect(correction).toMatchObject({ state: 'settled', corrects: estimate?.id, flags: [] })
    expect(correction?.ended_at).toBe(estimate?.ended_at)
    expect(correction?.charged_usd).toBeLessThan(0)
    for (const name of ['cost_usd', 'charged_usd'] as const)
      expect(sumOf(await opened.rows(), name)).toBe(COST)
    await untilAsync('the budget has it', async () => (await spent()) === COST / 1e9)
    expect(await usage()).toMatchObject({ charged_usd: COST / 1e9, estimated: 0, requests: 1 })
    expect(await verify()).toMatchObject({ adds_up: true, rows: 2 })
    expect((await ask()).status).toBe(200)
  })

  it('is corrected once, however many readers there are, and across a restart', async () => {
    const state: BackgroundState = { status: 'in_progress', usage: null }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    const folder = makeTemporaryFolder()
    let id = ''
    {
      await using opened = await open({ upstream, folder })
      id = idOf(await opened.ask())
      Object.assign(state, { status: 'completed', usage: used })
      const reads = Array.from({ length: 8 }, () => opened.send('GET', `/v1/responses/${id}`))
      for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
      await untilRows(opened, 2)
    }
    await using again = await open({ upstream, folder })
    await again.send('GET', `/v1/responses/${id}`)
    await again.send('GET', `/v1/responses/${id}?include=x`)
    // A later row shows that nothing before it waits to be written.
    await again.ask()
    const rows = await untilRows(again, 3)
    expect(rows.filter(({ corrects }) => corrects !== null)).toHaveLength(1)
    expect(await again.verify()).toMatchObject({ adds_up: true, rows: 3 })
  })

  it('is corrected after a restart, at the price of its creation, even if another price is in force', async () => {
    const state: BackgroundState = { status: 'in_progress', usage: null }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    const folder = makeTemporaryFolder()
    let id = ''
    {
      await using opened = await open({ upstream, folder })
      id = idOf(await opened.ask())
    }
    Object.assign(state, { status: 'completed', usage: used })
    const more = 'groups: { g: { models: ["*"], multiplier: 3 } }\n'
    await using again = await open({ upstream, folder, key: `group: g, ${small}`, more })
    await again.send('GET', `/v1/responses/${id}`)
    const rows = await untilRows(again, 2)
    expect(sumOf(rows, 'charged_usd')).toBe(COST)
    expect(await again.verify()).toMatchObject({ adds_up: true })
    await untilAsync('the budget has it', async () => (await again.spent()) === COST / 1e9)
  })

  it.each(['failed', 'cancelled', 'incomplete'])(
    'costs nothing if it is %s and its provider states no usage at all',
    async (status) => {
      const state: BackgroundState = { status, usage: { input_tokens: 0, output_tokens: 0 } }
      await using upstream = await openScriptedUpstream(createBackgroundScript(state))
      await using opened = await open({ upstream })
      const id = idOf(await opened.ask())
      await opened.send('GET', `/v1/responses/${id}`)
      const rows = await untilRows(opened, 2)
      expect([sumOf(rows, 'cost_usd'), sumOf(rows, 'charged_usd')]).toEqual([0, 0])
      expect(rows.reduce((sum, { usage }) => sum + usage.output_tokens, 0)).toBe(0)
    },
  )

  it('keeps its estimate if its provider does not state its usage', async () => {
    const state: BackgroundState = { status: 'cancelled', usage: null }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream, key: 'models: ["*"]' })
    const id = idOf(await opened.ask())
    await opened.send('POST', `/v1/responses/${id}/cancel`)
    await opened.ask()
    const rows = await untilRows(opened, 2)
    expect(rows.map(({ corrects }) => corrects)).toEqual([null, null])
  })

  it.each([
    ['cancelling', 'POST', '/cancel', 'cancelled'],
    ['reading its stream', 'GET', '?stream=true', 'completed'],
    ['reading its stream as it fails', 'GET', '?stream=true', 'failed'],
  ])('is corrected by %s as well', async (_, method, action, status) => {
    const state: BackgroundState = { status, usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream })
    const id = idOf(await opened.ask())
    await opened.send(method, `/v1/responses/${id}${action}`)
    expect(sumOf(await untilRows(opened, 2), 'charged_usd')).toBe(COST)
  })

  it('is corrected after its caller disconnects from its stream', async () => {
    const state: BackgroundState = { status: 'completed', usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream })
    const id = await opened.leaveStream()
    await untilRows(opened, 1)
    await opened.send('GET', `/v1/responses/${id}`)
    expect(sumOf(await untilRows(opened, 2), 'charged_usd')).toBe(COST)
  })

  it('is corrected once if its text is not stored, though every reading calls its provider', async () => {
    const state: BackgroundState = { status: 'completed', usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream, more: 'stored_responses: off\n' })
    const id = idOf(await opened.ask())
    for (let times = 0; times < 3; times += 1) await opened.send('GET', `/v1/responses/${id}`)
    await untilRows(opened, 2)
    await opened.ask()
    const rows = await untilRows(opened, 3)
    expect(rows.filter(({ corrects }) => corrects !== null)).toHaveLength(1)
    expect(sumOf(rows.slice(0, 2), 'charged_usd')).toBe(COST)
    expect(await opened.verify()).toMatchObject({ adds_up: true })
  })

  it('costs more than its estimate if no budget reserved an amount for it', async () => {
    const state: BackgroundState = { status: 'completed', usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream, key: 'models: ["*"]' })
    const id = idOf(await opened.ask())
    await opened.send('GET', `/v1/responses/${id}`)
    const rows = await untilRows(opened, 2)
    expect(rows[1]?.charged_usd).toBeGreaterThan(0)
    expect(sumOf(rows, 'charged_usd')).toBe(COST)
    expect(await opened.usage()).toMatchObject({ charged_usd: COST / 1e9 })
  })

  it('is charged at most the reserved amount, whatever its provider charges', async () => {
    const state: BackgroundState = {
      status: 'completed',
      usage: { input_tokens: 10, output_tokens: 5_000, total_tokens: 5_010 },
    }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream })
    const id = idOf(await opened.ask())
    let before = 0
    await untilAsync('the budget has the estimate', async () => {
      before = await opened.spent()
      return before > 0
    })
    await opened.send('GET', `/v1/responses/${id}`)
    const rows = await untilRows(opened, 2)
    expect(sumOf(rows, 'cost_usd')).toBe(10_010_000)
    expect(rows[1]?.charged_usd).toBe(0)
    await untilAsync('the budget has the estimate again', async () => (await opened.spent()) === before)
    expect(await opened.verify()).toMatchObject({ adds_up: true })
  })

  it('corrects the credit that paid for it', async () => {
    const state: BackgroundState = { status: 'completed', usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    await using opened = await open({ upstream, key: 'models: ["*"]' })
    await opened.admin('POST', '/credits', { body: { key: 'ci', amount_usd: 0.003, reason: 'test' } })
    const id = idOf(await opened.ask())
    await opened.send('GET', `/v1/responses/${id}`)
    await untilRows(opened, 2)
    await untilAsync('the credit has it', async () => {
      const { text } = await opened.send('GET', '/v1/key')
      return JSON.parse(text).data.credits[0].remaining_usd === (3_000_000 - COST) / 1e9
    })
  })

  it('is corrected after a crash between its reading and the correction', async () => {
    const state: BackgroundState = { status: 'completed', usage: used }
    await using upstream = await openScriptedUpstream(createBackgroundScript(state))
    const folder = makeTemporaryFolder()
    let id = ''
    let dataFolder = ''
    {
      await using opened = await open({ upstream, folder })
      id = idOf(await opened.ask())
      await opened.send('GET', `/v1/responses/${id}`)
      await untilRows(opened, 2)
      dataFolder = opened.gateway.dataFolder
    }
    undoCorrection(ledgerFileIn(dataFolder))
    await using again = await open({ upstream, folder })
    const asked = upstream.requests.length
    await again.send('GET', `/v1/responses/${id}`)
    expect(upstream.requests).toHaveLength(asked)
    expect(sumOf(await untilRows(again, 2), 'charged_usd')).toBe(COST)
  })
})

/** Deletes the correction, as if the process had ended before its commit. The sums stay, and nothing reads them. */
function undoCorrection(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('delete from ledger where corrects is not null')
  database.close()
}
