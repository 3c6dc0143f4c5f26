import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import { startGateway } from '../support/start-gateway.ts'
import { ledgerFileIn, needsOneFolder } from '../support/topology/needs.ts'
import { untilAsync } from '../support/until.ts'

const MB = 1024 ** 2
const secrets = {
  exact: 'sk-exact-0123456789abcdef',
  estimated: 'sk-estimated-0123456789',
  free: 'sk-free-0123456789abcdef',
}
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
const keys = `keys:
  - { name: exact, secret: ${secrets.exact}, budgets: [{ limit_usd: 5, window: total }] }
  - { name: estimated, secret: ${secrets.estimated}, budgets: [{ limit_usd: 5, window: total, mode: estimate }] }
  - { name: free, secret: ${secrets.free} }
`

async function open(more = '') {
  needsOneFolder('nodes have their rows in PostgreSQL, on its own disk')
  await using cleanup = new AsyncDisposableStack()
  const disk = cleanup.use(openSmallDisk(64))
  const upstream = cleanup.use(await openScriptedUpstream(() => jsonAnswer(whole)))
  const channels = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  const models = 'models: { m: { price: { input: 1, output: 2 } } }\n'
  const gateway = cleanup.use(await startGateway(keys + channels + models + more, disk.folder))
  const opened = cleanup.move()
  const send = async (key: keyof typeof secrets) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secrets[key]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    return { status: response.status, text: await response.text() }
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  return {
    disk,
    gateway,
    send,
    metric,
    sendAll: async () => {
      const answers = [await send('exact'), await send('estimated'), await send('free')]
      return answers.map(({ status }) => status)
    },
    untilMetric: (name: string, value: number) =>
      untilAsync(`${name} is ${value}`, async () => (await metric(name)) === value),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

describe.skipIf(!canMountDisks)('a real disk', () => {
  it('that is nearly full blocks only requests under a limit in money, and is written again once there is room', async () => {
    await using opened = await open()
    expect(await opened.sendAll()).toEqual([200, 200, 200])
    expect(await opened.metric('headgate_disk_level')).toBe(0)
    opened.disk.fillUntil(5 * MB)
    await opened.untilMetric('headgate_disk_level', 1)
    expect(await opened.sendAll()).toEqual([200, 200, 200])
    // What can be done without is written no more.
    await opened.untilMetric('headgate_request_log_up', 0)
    opened.disk.fillUntil(2 * MB)
    await opened.untilMetric('headgate_disk_level', 2)
    // Each process looks at the disk for itself.
    await expect.poll(opened.sendAll, { timeout: 20_000 }).toEqual([503, 503, 200])
    const { text } = await opened.send('exact')
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'ledger_unavailable', message: expect.stringContaining('nearly full') },
    })
    // Others are still served.
    expect((await fetch(`${opened.gateway.url}/readyz`)).status).toBe(200)
    opened.disk.empty()
    await opened.untilMetric('headgate_disk_level', 0)
    expect(await opened.sendAll()).toEqual([200, 200, 200])
  })

  it('that is full to the last byte loses no row, and the ledger continues without a restart', async () => {
    await using opened = await open()
    expect(await opened.sendAll()).toEqual([200, 200, 200])
    opened.disk.fillUntil(0)
    let served = 3
    await untilAsync('the ledger cannot be written', async () => {
      if ((await opened.send('free')).status === 200) served += 1
      return (await opened.metric('headgate_ledger_up')) === 0
    })
    expect((await opened.send('exact')).status).toBe(503)
    expect((await opened.send('free')).status).toBe(200)
    opened.disk.empty()
    await opened.untilMetric('headgate_ledger_up', 1)
    await opened.untilMetric('headgate_disk_level', 0)
    expect(await opened.sendAll()).toEqual([200, 200, 200])
    await opened.gateway.close(0)
    const database = new DatabaseSync(ledgerFileIn(opened.gateway.dataFolder), { readOnly: true })
    const totals =
      database
        .prepare(
          `select (select count(*) from ledger where cost > 0) as rows, (select sum(spent) from windows) as spent,
        (select count(*) from open_intents) as intents`,
        )
        .get() ?? {}
    database.close()
    // Two requests of each key under a budget, at 50 millionths.
    expect({ ...totals }).toEqual({ rows: served + 4, spent: 200_000, intents: 0 })
  })

  it('that is nearly full makes a gateway unready if every answer waits for its row', async () => {
    await using opened = await open('ledger: { durability: strict }\n')
    opened.disk.fillUntil(2 * MB)
    await opened.untilMetric('headgate_disk_level', 2)
    const untilRefused = { timeout: 20_000 }
    await expect.poll(async () => (await opened.send('free')).status, untilRefused).toBe(503)
    const readiness = async () => {
      const response = await fetch(`${opened.gateway.url}/readyz`)
      return [response.status, await response.json()]
    }
    await expect.poll(readiness, untilRefused).toEqual([503, { status: 'ledger_unavailable' }])
  })
})
