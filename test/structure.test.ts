import { describe, expect, it } from 'vitest'
import { readCodeFiles, readConsoleFiles, readSourceFiles, readToolFiles } from './support/source-files.ts'
import { findFolderCycles, findFunctions, MAX_FUNCTION_LINES } from './support/source-structure.ts'

const files = [...readSourceFiles(), ...readToolFiles()]
const functions = [...files, ...readConsoleFiles()].flatMap(findFunctions)

describe('functions', () => {
  it('are found and measured in every syntax', () => {
    const text = [
      'export async function* first(',
      '  one: string,',
      '): Steps<void> {',
      '  yield one',
      '}',
      'const second = (one: string) => {',
      '  use(one)',
      '}',
      'class Third {',
      '  async #fourth(): Promise<void> {',
      '    if (this.#isOpen) {',
      '      await this.#close()',
      '    }',
      '  }',
      '}',
      'function fifth() {',
      '  const sixth = () => 6',
      '  if (seventh()) {',
      '    return sixth',
      '  }',
      '}',
    ].join('\n')
    expect(findFunctions({ path: 'a.ts', text })).toEqual([
      { name: 'a.ts:1 first', lines: 5 },
      { name: 'a.ts:6 second', lines: 3 },
      { name: 'a.ts:10 #fourth', lines: 5 },
      { name: 'a.ts:16 fifth', lines: 6 },
    ])
    expect(functions.length).toBeGreaterThan(4_000)
  })

  it(`have at most ${MAX_FUNCTION_LINES} lines, and nearly all at most 40`, () => {
    expect(functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES)).toEqual([])
    expect(functions.filter(({ lines }) => lines > 40).length / functions.length).toBeLessThan(0.02)
  })
})

describe('the subfolders of a folder', () => {
  it('are reported if they import each other in a cycle', () => {
    const file = (path: string, target: string) => ({ path, imports: [{ specifier: target, target }] })
    const circle = [
      file('a/one/x.ts', 'a/two/x.ts'),
      file('a/two/y.ts', 'a/three/y.ts'),
      file('a/three/z.ts', 'a/one/z.ts'),
    ]
    expect(findFolderCycles(circle)).toEqual(['a/three > a/one > a/two > a/three'])
    expect(findFolderCycles(circle.slice(1))).toEqual([])
  })

  it('never import each other in a cycle', () => {
    expect(findFolderCycles(files)).toEqual([])
  })
})

describe('an object literal', () => {
  // A literal inside a literal only joins members that would stand on lines of their own.
  const SPREAD_LITERAL = /\.\.\.\{|\.\.\.\(?\[(?:\s*(?:'[^'\n]*'|[\d_.]+),?)+\s*\](?!\.| as const\)\.)/

  it('lists its members directly, and spreads no other literal', () => {
    expect(SPREAD_LITERAL.test('{ ..'.concat(".{ name: 'max', role: 'member' }, limit }"))).toBe(true)
    expect(SPREAD_LITERAL.test('['.concat('..', ".(['a', 'b'] as const), 'c']"))).toBe(true)
    expect(SPREAD_LITERAL.test('{ ...(limit && { limit }), ...others }')).toBe(false)
    expect(SPREAD_LITERAL.test('['.concat('..', ".['a', 'b'].map(read)]"))).toBe(false)
    const spread = readCodeFiles().filter(({ text }) => SPREAD_LITERAL.test(text))
    expect(spread.map(({ file }) => file)).toEqual([])
  })
})
