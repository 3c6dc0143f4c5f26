import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { type StartedGateway, testKey } from '../support/start-gateway.ts'
import { useNodes } from './open-nodes.ts'

const { openNode, openNodes } = useNodes()

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const wholeAnswer = (index: number) => ({
  id: `c${index}`,
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
})

async function open(statuses: readonly number[]) {
  await openNodes('', 0)
  const gate = createGate()
  const upstream = await openScriptedUpstream(async (_, index) => {
    if (index === 0) await gate.opened
    return jsonAnswer(wholeAnswer(index), statuses[index] ?? 200)
  })
  const channel = channelYaml({ name: 'two', format: 'chat', origin: upstream.origin, models: ['m'] })
  const yaml = `${channel}retry: { attempts: 1 }\n`
  const first = await openNode(yaml)
  const second = await openNode(yaml)
  return {
    gate,
    upstream,
    first,
    second,
    async [Symbol.asyncDispose]() {
      gate.open()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

function post(node: StartedGateway, content = 'Hi'): Promise<Response> {
  return fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'one',
    },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  })
}

it('a request that another node is processing waits for its answer, and is billed once', async () => {
  await using opened = await open([])
  const made = post(opened.first)
  await opened.upstream.request(0)
  const repeated = post(opened.second)
  const other = await post(opened.second, 'Another')
  expect([other.status, await other.text()]).toEqual([409, expect.stringContaining('idempotency_conflict')])
  opened.gate.open()
  expect(await (await repeated).text()).toBe(await (await made).text())
  expect((await repeated).headers.get('x-headgate-idempotent-replay')).toBe('true')
  expect(opened.upstream.requests.length).toBe(1)
})

it('a request whose first call failed on another node runs again once that has ended', async () => {
  await using opened = await open([400])
  const made = post(opened.first)
  await opened.upstream.request(0)
  const repeated = post(opened.second)
  opened.gate.open()
  expect((await made).status).toBe(400)
  expect([(await repeated).status, await (await repeated).json()]).toMatchObject([200, { id: 'c1' }])
})
