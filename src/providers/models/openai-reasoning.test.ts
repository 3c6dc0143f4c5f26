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

describe('the reasoning effort', () => {
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
  ] as const)('for %s is the nearest one that the model accepts: %s becomes %s', (model, effort, sent) => {
    const { body, lost } = write(model, { reasoning: { effort } })
    expect(body['reasoning_effort']).toBe(sent)
    expect(lost).toEqual(effort === sent ? [] : ['reasoning-effort approximated'])
  })
})

describe('sampling parameters', () => {
  const sampling = { temperature: 0, topP: 0.5, presencePenalty: 1, logitBias: { 5: 1 } } as const
  const dropped = ['sampling dropped', 'presence-penalty dropped', 'logit-bias dropped']

  it.each(['o4-mini', 'gpt-5', 'gpt-5.6-luna'])('are dropped for %s, which reasons by default', (model) => {
    const { body, lost } = write(model, sampling)
    expect(Object.keys(body)).toEqual(['model', 'messages'])
    expect(lost).toEqual(dropped)
  })

  it('are sent to a model that does not reason by default, unless reasoning is requested', () => {
    expect(write('gpt-5.1', sampling)).toMatchObject({ body: { temperature: 0, top_p: 0.5 }, lost: [] })
    expect(write('gpt-5.1', { ...sampling, reasoning: { effort: 'low' } }).lost).toEqual(dropped)
  })

  it('are sent to models without reasoning', () => {
    expect(write('gpt-4o', sampling).lost).toEqual([])
    expect(write('gpt-35-turbo', sampling).lost).toEqual([])
    expect(write('gpt-5-chat-latest', sampling).lost).toEqual([])
  })

  it('are dropped in the responses format too, along with logprobs', () => {
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
  ] as const)('for %s become %j', (model, sent) => {
    const { body, lost } = write(model, { stopSequences: ['.'] })
    expect(body['stop']).toEqual(sent)
    expect(lost).toEqual(sent === undefined ? ['stop-sequences dropped'] : [])
  })

  it('are limited to four', () => {
    const { body, lost } = write('gpt-4o', { stopSequences: ['1', '2', '3', '4', '5'] })
    expect(body['stop']).toEqual(['1', '2', '3', '4'])
    expect(lost).toEqual(['stop-sequences approximated'])
  })
})

it('the o-series does not support parallel tool calls', () => {
  const tools: ChatRequest['tools'] = [
    { type: 'function', name: 'add', parameters: { type: 'object', properties: {} } },
  ]
  const { body, lost } = write('o4-mini', { tools, parallelToolCalls: false })
  expect(body).not.toHaveProperty('parallel_tool_calls')
  expect(lost).toEqual(['parallel-tool-calls dropped'])
})

it('an Azure deployment named after its model has the same dialect, without fields that older versions refuse', () => {
  const dialect = openai.dialect('gpt-5-mini', 'chat')
  expect(azureOpenai.dialect('gpt-5-mini', 'chat')).toEqual({ ...dialect, sharedFields: [] })
})

it.each([
  ['gpt-4o', 'high', undefined],
  ['o3', 'low', undefined],
  ['gpt-5-chat-latest', 'low', undefined],
  ['gpt-5', 'low', 'low'],
  ['a-deployment', 'low', 'low'],
] as const)('the verbosity of %s: %s becomes %s', (model, verbosity, sent) => {
  expect(write(model, { verbosity }).body['verbosity']).toBe(sent)
  const { body, lost } = write(model, { verbosity }, responsesFormat)
  expect(body['text']).toEqual(sent && { verbosity: sent })
  expect(lost).toEqual(sent === undefined ? ['verbosity dropped'] : [])
  expect(write(model, { verbosity: 'medium' }).lost).toEqual([])
})
