import { describe, expect, it } from 'vitest'
import { joinSmallParts } from './join-parts.ts'

const large = Buffer.alloc(16 * 1024, 'l')

describe('parts of a stream', () => {
  it.each([
    [['a', '', 'b'], 'ab'],
    [[Buffer.from('é'), Buffer.from('b')], 'éb'],
    [[Buffer.from('a'), 'é'], 'aé'],
  ])('are joined if they are small: %j', (parts, whole) => {
    expect(joinSmallParts(parts).map(String)).toEqual([whole])
  })

  it.each([[[]], [['']], [['', Buffer.alloc(0)]]])('are dropped if they have no bytes: %j', (parts) => {
    expect(joinSmallParts(parts)).toEqual([])
  })

  it('stay the same bytes if there is only one, or one is large', () => {
    const small = Buffer.from('a')
    expect(joinSmallParts([small])[0]).toBe(small)
    const joined = joinSmallParts([small, 'b', large, large, 'c'])
    expect(joined.map(({ length }) => length)).toEqual([2, large.length, large.length, 1])
    expect(joined[1]).toBe(large)
  })
})
