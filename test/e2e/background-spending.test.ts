// A response that is made in the background: its usage is never seen by the request that asked for it.
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { responseOf } from '../support/keeper.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'

const secret = 'sk-background-0123456789'

it.each([
  ['no usage', null],
  ['a usage of zeros', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }],
  ['the usage of its input', { input_tokens: 7, output_tokens: 0, total_tokens: 7 }],
])(
  'a background response is charged the whole reserved amount if it has %s so far, so that it overspends no budget',
  async (_, usage) => {
    const queued = responseOf('resp_one', { status: 'queued', output: [], background: true, usage })
    await using upstream = await openScriptedUpstream(() => jsonAnswer(queued))
    // 1,000 tokens of output for 2 dollars a million: 2,000 millionths, and a little for the input.
    const gateway = await startGateway(`keys:
  - { name: ci, secret: ${secret}, budgets: [{ limit_usd: 0.003, window: day, at_limit: refuse }] }
models: { m: { price: { input: 1, output: 2 } } }
${channelYaml({ name: 'first', format: 'responses', origin: upstream.origin, models: ['m'] })}`)
    const ask = async () => {
      const response = await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: 'Hi', background: true, max_output_tokens: 1_000 }),
      })
      return { status: response.status, text: await response.text() }
    }
    try {
      expect((await ask()).status).toBe(200)
      const second = await ask()
      expect([second.status, second.text]).toEqual([429, expect.stringContaining('budget')])
      expect(upstream.requests).toHaveLength(1)
      await gateway.close(0)
      const database = new DatabaseSync(ledgerFileIn(gateway.dataFolder), { readOnly: true })
      const [row] = database.prepare('select state, flags, charged from ledger').all()
      const [window] = database.prepare('select spent from windows').all()
      database.close()
      // Estimated from its input, and marked as without usage.
      expect(row).toMatchObject({ state: 2, flags: 2 | 64 })
      expect(Number(row?.['charged'])).toBeGreaterThanOrEqual(2_000_000)
      expect(window?.['spent']).toBe(row?.['charged'])
    } finally {
      await gateway[Symbol.asyncDispose]()
    }
  },
)
