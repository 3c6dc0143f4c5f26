import { expect, it } from 'vitest'
import type { ChatRequest } from '../../../canonical/request.ts'
import { openai } from '../../../providers/vendors/openai.ts'
import { writeRequest } from './write-request.ts'

const request: ChatRequest = {
  model: 'public',
  stream: false,
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  reasoning: { effort: 'high' },
}

const tools = [{ type: 'function', name: 'read' }] as const

function effortFor(model: string, made: ChatRequest) {
  const { value, losses } = writeRequest(made, { model, dialect: openai.dialect(model) })
  return [value['reasoning_effort'], losses.map(({ feature, kind }) => `${feature} ${kind}`)]
}

it('asks a model that reasons beside tools for the effort', () => {
  expect(effortFor('gpt-5.1', { ...request, tools })).toEqual(['high', []])
})

it('asks a model that takes tools only unreasoned for none, and says so', () => {
  expect(effortFor('gpt-5.6', { ...request, tools })).toEqual(['none', ['reasoning-effort dropped']])
})

it('asks the same model for the effort where there are no tools', () => {
  expect(effortFor('gpt-5.6', request)).toEqual(['high', []])
})

it('leaves out an end user whose id is longer than the format takes, and says so', () => {
  const { value, losses } = writeRequest(
    { ...request, endUser: 'x'.repeat(65) },
    { model: 'gpt-5.1', dialect: openai.dialect('gpt-5.1') },
  )
  expect([value['user'], losses.map(({ feature }) => feature)]).toEqual([undefined, ['end-user']])
})
