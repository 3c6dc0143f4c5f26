import { expect, test } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { testKey } from '../support/start-gateway.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNodes } = useNodes()

test('a channel that is created on one node serves on the other, until it is disabled there', async () => {
  const { nodes, upstream } = await openNodes('admin: { allow_private: true }\n')
  const [first, second] = nodes
  const [ask, askSecond] = [createAskAdmin(String(first?.url)), createAskAdmin(String(second?.url))]
  const made = await ask('POST', '/channels', {
    body: {
      name: 'extra',
      provider: 'openai-compatible',
      base_url: `${upstream.origin}/v1`,
      allow_private: true,
      api_key: 'sk-up-1234567890',
      models: ['x'],
    },
  })
  expect(made.status).toBe(201)
  const served = async (node: (typeof nodes)[number] | undefined) =>
    (await callNode(node, testKey, { model: 'x' })).status === 200
  await untilAsync('the other node serves the channel', () => served(second))
  expect((await askSecond('POST', '/channels/extra/disable')).status).toBe(200)
  await untilAsync('the channel no longer serves', async () => !(await served(first)))
  expect((await ask('POST', '/channels/extra/enable')).status).toBe(200)
  await untilAsync('the channel serves again', () => served(second))
})
