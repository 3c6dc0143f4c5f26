import { describe, expect, it } from 'vitest'
import { readComments } from './support/source-files.ts'

/** Turns of phrase that a reader has to think about, with what plain English says. */
const refusedPhrases: Readonly<Record<string, { readonly pattern: RegExp; readonly instead: string }>> = {
  whoever: { pattern: /\bwhoever\b/i, instead: 'the caller, its holder, users without …' },
  somebody: { pattern: /\b(?:somebody|someone)\b/i, instead: 'a user, an operator, a person' },
  // "There is none" is plain; "undefined where it is none" is not.
  'is none': {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) none\b/i,
    instead: 'is not one, is ignored, is refused',
  },
  'is told': { pattern: /\b(?:is|are|was|were|be|been) told\b/i, instead: 'gets, is called with, learns' },
  counts: {
    pattern: /\b(?:that|which|it|and) counts(?:[.,;:]|$| (?:again|as|at once|for|from|once)\b)/im,
    instead: 'takes effect, is in force, is valid, applies',
  },
  'what of': { pattern: /\bwhat of\b/i, instead: 'which part of' },
  'left alone': { pattern: /\bleft alone\b/i, instead: 'is not asked, does not change' },
  'as it came': { pattern: /(?<!\bfar )\bas (?:it|they) came\b/i, instead: 'unchanged, as received' },
}

/** Files that have to name a refused phrase, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'test/plain-english.test.ts': 'lists the phrases',
}

describe('comments', () => {
  const found = readComments().flatMap(({ file, text }) => {
    const line = text.replace(/\n\s*(?:\*|\/\/)?/g, '')
    return Object.entries(refusedPhrases)
      .filter(([, { pattern }]) => pattern.test(line))
      .map(([phrase, { instead }]) => ({ file, problem: `"${phrase}" in ${line.trim()}: say ${instead}` }))
  })

  it(`are plain English, without ${Object.keys(refusedPhrases).join(', ')}`, () => {
    expect(found.filter(({ file }) => !Object.hasOwn(exceptions, file))).toEqual([])
  })

  it('need every exception that is listed', () => {
    expect(Object.keys(exceptions).filter((file) => !found.some((each) => each.file === file))).toEqual([])
  })
})
