import { expect, it } from 'vitest'
import { createLossList } from '../../../canonical/loss.ts'
import { loseOpaque } from '../../fields/write-opaque.ts'
import { readUserBlock } from './read-content.ts'

it('a block that only this format has is lost in others by its name', () => {
  const guard = { guardContent: { image: { format: 'png', source: { bytes: 'AA==' } } } }
  const block = readUserBlock(guard, 'messages[0].content[0]')
  const losses = createLossList()
  if (block.type === 'opaque') loseOpaque(block, losses)
  expect(losses.all).toEqual([{ feature: 'foreign-block', kind: 'dropped', field: 'guardContent' }])
})
