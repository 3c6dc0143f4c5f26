import { describe, expect, it } from 'vitest'
import { createLossList } from '../../canonical/loss.ts'
import { writeOpaque } from './write-opaque.ts'

describe('a block of one format alone', () => {
  const value = { type: 'container_upload', file_id: 'f' }

  it('passes unchanged into its own format', () => {
    const losses = createLossList()
    expect(writeOpaque({ type: 'opaque', format: 'messages', value }, 'messages', losses)).toBe(value)
    expect(losses.all).toEqual([])
  })

  it.each([
    [{ value, name: 'upload' }, 'upload'],
    [{ value }, 'container_upload'],
    [{ value: {} }, 'unknown'],
  ])('is lost in any other by its name, else its kind: %j', (block, field) => {
    const losses = createLossList()
    expect(writeOpaque({ type: 'opaque', format: 'messages', ...block }, 'chat', losses)).toBeUndefined()
    expect(losses.all).toEqual([{ feature: 'foreign-block', kind: 'dropped', field }])
  })
})
