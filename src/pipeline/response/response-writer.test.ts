import { describe, expect, it } from 'vitest'
import { joinParts } from './response-writer.ts'

describe('parts of a stream', () => {
  it.each([
    [[], ''],
    [['a', '', 'b'], 'ab'],
    [[Buffer.from('é'), Buffer.from('b')], 'éb'],
    [[Buffer.from('a'), 'é'], 'aé'],
  ])('are one where they were several: %j', (parts, whole) => {
    expect(joinParts(parts).toString()).toBe(whole)
  })

  it('stay the same bytes where there is one', () => {
    const part = Buffer.from('a')
    expect(joinParts([part])).toBe(part)
  })
})
