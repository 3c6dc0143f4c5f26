import { expect, it } from 'vitest'
import { readRequest as readChat } from '../wire/chat/request/read-request.ts'
import { writeRequest as writeChat } from '../wire/chat/request/write-request.ts'
import { readRequest as readResponses } from '../wire/responses/request/read-request.ts'
import { writeRequest as writeResponses } from '../wire/responses/request/write-request.ts'
import { type ProviderId, providers } from './registry.ts'

const shared = {
  prompt_cache_key: 'session-7',
  prompt_cache_options: { ttl: '1h' },
  prompt_cache_retention: '24h',
  safety_identifier: 'user-7',
}
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...shared, metadata: { a: 'b' } }
const responses = { model: 'm', input: 'Hi', ...shared, metadata: { a: 'b' } }

function targetOf(id: ProviderId) {
  const model = 'gpt-5'
  return { model, dialect: providers[id].dialect(model) }
}

it("OpenAI's fields for the prompt cache and for safety reach its responses format from a chat caller", () => {
  const { value, losses } = writeResponses(readChat(chat), targetOf('openai'))
  expect(value).toMatchObject(shared)
  expect(losses.map(({ field }) => field)).toEqual(['metadata'])
})

it("OpenAI's fields for the prompt cache and for safety reach its chat format from a responses caller", () => {
  const { value, losses } = writeChat(readResponses(responses), targetOf('openai'))
  expect(value).toMatchObject(shared)
  expect(value).not.toHaveProperty('metadata')
  expect(losses.map(({ field }) => field)).toEqual(['metadata'])
})

it.each<ProviderId>(['azure-openai', 'vllm', 'mistral'])(
  '%s, which may refuse them, gets none of them',
  (id) => {
    const { value, losses } = writeChat(readResponses(responses), targetOf(id))
    for (const name of Object.keys(shared)) expect(value).not.toHaveProperty(name)
    expect(losses.map(({ field }) => field)).toEqual(expect.arrayContaining(Object.keys(shared)))
  },
)
