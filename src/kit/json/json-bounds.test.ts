import { describe, expect, it } from 'vitest'
import { findExceeded } from './scan-object.ts'

const bounds = { depth: 3, values: 5 }

describe('the limits on JSON', () => {
  it.each([
    ['[[[1]]]', undefined],
    ['[[[[1]]]]', 'depth'],
    ['{"a":{"b":{"c":[]}}}', 'depth'],
    ['[1,2,3,4,5]', undefined],
    ['[1,2,3,4,5,6]', 'values'],
    ['[[],[],[],[]]', 'values'],
    [`"${'['.repeat(40)}"`, undefined],
    [`["a\\"${'['.repeat(40)}"]`, undefined],
    [`["a\\\\",${'['.repeat(40)}]`, 'depth'],
    [`["${'\\\\'.repeat(30)}", [[[]]]]`, 'depth'],
    [`"${'x'.repeat(40)}`, undefined],
    ['no JSON at all, and long enough to be looked at', undefined],
  ])('%s exceeds: %s', (text, exceeded) => {
    expect(findExceeded(text, bounds)).toBe(exceeded)
  })

  it.each([
    ['[[1,2],[3]]', undefined],
    ['[[1],[2],[3]]', 'containers'],
    ['[1,2,3,4,5,6]', 'values'],
  ])('%s exceeds, with a separate limit for objects and arrays: %s', (text, exceeded) => {
    expect(findExceeded(text, { ...bounds, containers: 3 })).toBe(exceeded)
  })
})
