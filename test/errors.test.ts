import { describe, expect, it } from 'vitest'
import { readConsoleFiles, readSourceFiles, readToolFiles } from './support/source-files.ts'

const files = [...readSourceFiles(), ...readToolFiles(), ...readConsoleFiles()]

interface Place {
  readonly file: string
  readonly line: number
}

/** The places of a pattern in the code of all files. */
function findPlaces(pattern: RegExp, isFault: (text: string, at: number) => boolean): readonly string[] {
  const places = files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(({ index }) => isFault(text, index))
      .map(({ index }): Place => ({ file: path, line: text.slice(0, index).split('\n').length })),
  )
  return places.map(({ file, line }) => `${file}:${line}`)
}

/** From the first brace on, to the one that closes it. */
function blockAt(text: string, at: number): string {
  const start = text.indexOf('{', at)
  let depth = 0
  for (let end = start; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1
    if (text[end] === '}') depth -= 1
    if (depth === 0) return text.slice(start, end + 1)
  }
  return text.slice(start)
}

/** Whether a comment stands in the line before, or at the beginning of the block. */
function isExplained(text: string, at: number): boolean {
  const before = text.slice(0, at).split('\n').at(-2) ?? ''
  return /^\s*(?:\/\/|\*\/|\/\*)/.test(before) || /^\{\s*\/\//.test(blockAt(text, at))
}

describe('an error', () => {
  // A caller's is a row of the table of errors, an operator's is an OperatorError or a ConfigError, a broken promise of
  // the source an InvariantError; what stays within a folder has a class of its own.
  it('has a type in every throw', () => {
    expect(findPlaces(/\bnew (?:Type|Range)?Error\(/g, () => true)).toEqual([])
  })

  it('is a class with a name, which distinguishes it in a log', () => {
    const unnamed = files.flatMap(({ path, code }) =>
      [...code.matchAll(/class (\w+) extends Error \{/g)].flatMap(([declared, name]) =>
        blockAt(code, code.indexOf(declared)).includes(`name = '${name}'`) ? [] : [`${path}: ${name}`],
      ),
    )
    expect(unnamed).toEqual([])
  })
})

describe('a caught error', () => {
  it('is inspected, or a comment says which failure is expected and why it may be ignored', () => {
    expect(findPlaces(/\bcatch \{/g, (text, at) => !isExplained(text, at))).toEqual([])
    expect(findPlaces(/\.catch\(\(\) =>/g, (text, at) => !isExplained(text, at))).toEqual([])
  })

  it('is never ignored by an empty block', () => {
    expect(findPlaces(/\bcatch \(\w+\) \{\s*\}/g, () => true)).toEqual([])
  })
})
