import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { permits, readGrant, writeGrant } from './permission.ts'

describe('a grant', () => {
  test.each([
    [['*'], 'anything', true],
    [['gpt-4o'], 'gpt-4o', true],
    [['gpt-4o'], 'gpt-4o-mini', false],
    [['gpt-4o'], 'GPT-4o', false],
    [['qwen*'], 'qwen3-max', true],
    [['qwen*'], 'qwen', true],
    [['qwen*'], 'my-qwen', false],
    [['*-mini'], 'gpt-4o-mini', true],
    [['gpt-*-mini'], 'gpt-4o-mini', true],
    [['gpt-*-mini'], 'gpt-mini', false],
    [['a*a'], 'a', false],
    [['a*bc*bc'], 'abc', false],
    [['a*bc*bc'], 'abcbc', true],
    [['a**c'], 'abc', true],
    [['a.c'], 'abc', false],
    [['ab*', 'x'], 'x', true],
    [[], 'x', false],
  ])('of %j permits "%s": %s', (names, model, isPermitted) => {
    expect(permits(readGrant(names), model)).toBe(isPermitted)
  })

  test('matches the same names as the pattern written as a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 8 })
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(text, name, (pattern, model) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(model)
        expect(permits(readGrant([pattern]), model)).toBe(expected)
      }),
    )
  })

  test('keeps its names and patterns when it is parsed and written', () => {
    expect(writeGrant(readGrant(['b', 'qwen*', 'a']))).toEqual(['b', 'a', 'qwen*'])
    expect(writeGrant(readGrant(['a', '*']))).toEqual(['*'])
  })
})

test('only models that both the key and its group are granted are permitted', () => {
  const permission = { type: 'both', key: readGrant(['qwen*', 'o3']), group: readGrant(['*-max']) } as const
  const asked = ['qwen3-max', 'qwen3-mini', 'o3', 'gpt-max']
  expect(asked.filter((model) => permits(permission, model))).toEqual(['qwen3-max'])
})
