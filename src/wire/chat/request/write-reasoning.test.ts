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

it('requests the effort from a model that reasons beside tools', () => {
  expect(effortFor('gpt-5.1', { ...request, tools })).toEqual(['high', []])
})

it('requests no reasoning from a model that accepts tools only without it, and declares that', () => {
  expect(effortFor('gpt-5.6', { ...request, tools })).toEqual(['none', ['reasoning-effort dropped']])
})

it('requests the effort from the same model when there are no tools', () => {
  expect(effortFor('gpt-5.6', request)).toEqual(['high', []])
})

it('leaves out an end user whose id is too long for the format, and declares that', () => {
  const { value, losses } = writeRequest(
    { ...request, endUser: 'x'.repeat(65) },
    { model: 'gpt-5.1', dialect: openai.dialect('gpt-5.1') },
  )
  expect([value['user'], losses.map(({ feature }) => feature)]).toEqual([undefined, ['end-user']])
})
