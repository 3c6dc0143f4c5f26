import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { channelYaml } from '../support/channel-yaml.ts'
import { keeper } from '../support/keeper.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { useNodes } from './open-nodes.ts'

const { openNodes, openNode } = useNodes()

async function open() {
  const { nodes, upstream } = await openNodes()
  return { ...clientsOf(nodes), upstream }
}

function clientsOf(nodes: readonly { readonly url: string }[]) {
  const clients = nodes.map(
    ({ url }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: testKey, maxRetries: 0 }).responses,
  )
  const [first, second] = clients
  if (first === undefined || second === undefined) throw new Error('two nodes were opened')
  return { first, second }
}

it('a conversation continues at once on another node, turn by turn', async () => {
  const { first, second, upstream } = await open()
  let previous: string | undefined
  for (let turn = 0; turn < 10; turn += 1) {
    const client = turn % 2 === 0 ? first : second
    const { id } = await client.create({
      model: 'm',
      input: `Turn ${turn}`,
      ...(previous !== undefined && { previous_response_id: previous }),
    })
    previous = id
  }
  const { messages } = JSON.parse(String(upstream.requests.at(-1)?.body))
  expect(messages).toHaveLength(19)
})

it('an item can be used at once on another node', async () => {
  const { first, second } = await open()
  const { output } = await first.create({ model: 'm', input: 'One' })
  const [item] = output
  if (item?.type !== 'message') throw new Error('a message was answered')
  const { id } = item
  expect(await second.create({ model: 'm', input: [{ type: 'item_reference', id }] })).toMatchObject({
    status: 'completed',
  })
})

it('a deleted response is gone at once on another node', async () => {
  const { first, second } = await open()
  for (let round = 0; round < 5; round += 1) {
    const { id } = await first.create({ model: 'm', input: 'One' })
    expect(await second.retrieve(id)).toMatchObject({ id })
    await first.delete(id)
    expect(await refusalOf(second.retrieve(id))).toMatchObject({ status: 404 })
  }
})

it('a response that its provider deleted is gone at once on another node', async () => {
  await using upstream = await openScriptedUpstream(keeper('one'))
  const { origin } = upstream
  const yaml = `${channelYaml({ name: 'one', format: 'responses', origin, models: ['m'] })}stored_responses: off\n`
  const { first, second } = clientsOf([await openNode(yaml), await openNode(yaml)])
  for (let round = 0; round < 10; round += 1) {
    const { id } = await first.create({ model: 'm', input: 'One' })
    expect(await second.retrieve(id)).toMatchObject({ id })
    await first.delete(id)
    expect(await refusalOf(second.retrieve(id))).toMatchObject({ status: 404 })
  }
})
