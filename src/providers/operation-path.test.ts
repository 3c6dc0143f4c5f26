import { expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { dialectOf } from './registry.ts'
import { openai } from './vendors/openai.ts'

it('the dialect of a provider applies if the operator sets no capabilities', () => {
  const { target } = createCandidate({ provider: 'openai', model: 'gpt-5' })
  expect(dialectOf(openai, target)).toEqual(openai.dialect('gpt-5', 'chat'))
})

it('the refused fields set by an operator replace the defaults, even for a reasoning model', () => {
  const { target } = createCandidate({
    provider: 'openai',
    model: 'gpt-5',
    capabilities: { refusedFields: ['seed'] },
  })
  expect(dialectOf(openai, target)).toMatchObject({ refusedFields: ['seed'], refusedWhileReasoning: [] })
})
