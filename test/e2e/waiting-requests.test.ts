import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createGate } from '../support/gate.ts'
import { type OpenGateway, openGateway, type Script } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testAdminToken } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { untilAsync } from '../support/until.ts'

const good = jsonAnswer({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Well.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})

async function countWaiting({ gateway }: OpenGateway): Promise<number> {
  const headers = { authorization: `Bearer ${testAdminToken}` }
  const answer = await fetch(`${gateway.url}/admin/v1/health`, { headers })
  return Number(/"queue":\{"waiting":(\d+)/.exec(await answer.text())?.[1])
}

it('a request that only a full channel may serve does not hold up the others of its model', async () => {
  needsOneProcess('each process has its own slots of a channel')
  const gate = createGate()
  const slow: Script = async () => {
    await gate.opened
    return good
  }
  const firstMore = 'concurrency: 1\n    allow_fields: [previous_response_id]'
  await using open = await openGateway({ scripts: [slow, good], format: 'responses', firstMore })
  const caller = { url: open.gateway.url, format: 'responses' } as const
  const first = ask(caller, { model: 'm', input: 'Hi' })
  await open.upstreams[0]?.request(0)
  const bound = ask(caller, { model: 'm', input: 'Hi', previous_response_id: 'resp_elsewhere' })
  await untilAsync('the second request waits', async () => (await countWaiting(open)) === 1)
  const free = await ask(caller, { model: 'm', input: 'Hi' })
  expect(free.status).toBe(200)
  gate.open()
  expect((await Promise.all([first, bound])).map(({ status }) => status)).toEqual([200, 200])
})

it('a request that waited for its key may use a slot that became free in the meantime', async () => {
  const gate = createGate()
  const script: Script = async () => {
    await gate.opened
    return good
  }
  const firstMore = 'concurrency: 1'
  const key =
    '{ name: ci, secret: sk-ci-0123456789abcdef, models: ["*"], rate: { concurrency: 1, wait: 5s } }'
  const more = `queue: { wait: 3s }\nkeys:\n  - ${key}\n`
  await using open = await openGateway({ scripts: [script], format: 'responses', firstMore, more })
  const send = () =>
    fetch(`${open.gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-ci-0123456789abcdef', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'Hi' }),
    })
  const first = send()
  await open.upstreams[0]?.request(0)
  const second = send()
  // Many exchanges later, the gateway has read the second request.
  for (let count = 0; count < 20; count += 1) await countWaiting(open)
  gate.open()
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200])
})
