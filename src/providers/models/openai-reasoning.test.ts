import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { azureOpenai } from '../vendors/azure-openai.ts'
import { openai } from '../vendors/openai.ts'

const plain: ChatRequest = {
  model: 'm',
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  stream: false,
}

function write(model: string, asked: Partial<ChatRequest>, format = chatFormat) {
  const { value, losses } = format.writeRequest(
    { ...plain, ...asked },
    { model, dialect: openai.dialect(model, format.id) },
  )
  return { body: value, lost: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

describe('the word for an effort', () => {
  it.each([
    ['o3-mini', 'xhigh', 'high'],
    ['gpt-5', 'none', 'minimal'],
    ['gpt-5-mini', 'minimal', 'minimal'],
    ['gpt-5-codex', 'minimal', 'low'],
    ['gpt-5-pro', 'low', 'high'],
    ['gpt-5.1', 'minimal', 'low'],
    ['gpt-5.1', 'none', 'none'],
    ['gpt-5.1-codex-mini', 'none', 'low'],
    ['gpt-5.1-codex-max', 'max', 'xhigh'],
    ['gpt-5.2', 'max', 'xhigh'],
    ['gpt-5.2-pro', 'low', 'medium'],
    ['gpt-5.3-codex', 'none', 'low'],
    ['gpt-5.6-sol', 'max', 'max'],
    ['gpt-5.10', 'minimal', 'low'],
    ['ft:gpt-5:acme', 'xhigh', 'high'],
  ] as const)('of %s is the nearest that the model takes: %s is %s', (model, effort, sent) => {
    const { body, lost } = write(model, { reasoning: { effort } })
    expect(body['reasoning_effort']).toBe(sent)
    expect(lost).toEqual(effort === sent ? [] : ['reasoning-effort approximated'])
  })
})

describe('sampling', () => {
  const sampling = { temperature: 0, topP: 0.5, presencePenalty: 1, logitBias: { 5: 1 } } as const
  const dropped = ['sampling dropped', 'presence-penalty dropped', 'logit-bias dropped']

  it.each(['o4-mini', 'gpt-5', 'gpt-5.6-luna'])('is left out for %s, which reasons unasked', (model) => {
    const { body, lost } = write(model, sampling)
    expect(Object.keys(body)).toEqual(['model', 'messages'])
    expect(lost).toEqual(dropped)
  })

  it('is sent to a model that rests where nothing is said, and not where it is to reason', () => {
    expect(write('gpt-5.1', sampling)).toMatchObject({ body: { temperature: 0, top_p: 0.5 }, lost: [] })
    expect(write('gpt-5.1', { ...sampling, reasoning: { effort: 'low' } }).lost).toEqual(dropped)
  })

  it('is sent to models without reasoning', () => {
    expect(write('gpt-4o', sampling).lost).toEqual([])
    expect(write('gpt-35-turbo', sampling).lost).toEqual([])
    expect(write('gpt-5-chat-latest', sampling).lost).toEqual([])
  })

  it('is left out of responses as well, with what would tell of it', () => {
    const asked = { temperature: 0, logprobs: true, topLogprobs: 2 } as const
    const { body, lost } = write('gpt-5', asked, responsesFormat)
    expect(body).not.toHaveProperty('temperature')
    expect(body).toMatchObject({ include: ['reasoning.encrypted_content'] })
    expect(lost).toEqual(['logprobs dropped', 'sampling dropped'])
  })
})

describe('stop sequences', () => {
  it.each([
    ['gpt-5-mini', undefined],
    ['o3', undefined],
    ['o4-mini', undefined],
    ['o3-mini', ['.']],
    ['gpt-5.1', ['.']],
  ] as const)('of %s are %j', (model, sent) => {
    const { body, lost } = write(model, { stopSequences: ['.'] })
    expect(body['stop']).toEqual(sent)
    expect(lost).toEqual(sent === undefined ? ['stop-sequences dropped'] : [])
  })

  it('are four at most', () => {
    const { body, lost } = write('gpt-4o', { stopSequences: ['1', '2', '3', '4', '5'] })
    expect(body['stop']).toEqual(['1', '2', '3', '4'])
    expect(lost).toEqual(['stop-sequences approximated'])
  })
})

it('the o-series does not know parallel calls of tools', () => {
  const tools: ChatRequest['tools'] = [
    { type: 'function', name: 'add', parameters: { type: 'object', properties: {} } },
  ]
  const { body, lost } = write('o4-mini', { tools, parallelToolCalls: false })
  expect(body).not.toHaveProperty('parallel_tool_calls')
  expect(lost).toEqual(['parallel-tool-calls dropped'])
})

it('a deployment on Azure named after its model takes the same', () => {
  expect(azureOpenai.dialect('gpt-5-mini', 'chat')).toEqual(openai.dialect('gpt-5-mini', 'chat'))
})
