import { expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { dialectOf } from './registry.ts'
import { openai } from './vendors/openai.ts'

it('what a provider declares for a model counts where the operator states nothing', () => {
  const { target } = createCandidate({ provider: 'openai', model: 'gpt-5' })
  expect(dialectOf(openai, target)).toEqual(openai.dialect('gpt-5', 'chat'))
})

it('the fields that an operator states as refused are all that are, also while the model reasons', () => {
  const { target } = createCandidate({
    provider: 'openai',
    model: 'gpt-5',
    capabilities: { refusedFields: ['seed'] },
  })
  expect(dialectOf(openai, target)).toMatchObject({ refusedFields: ['seed'], refusedWhileReasoning: [] })
})
