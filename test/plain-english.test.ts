import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTitles } from './support/read-titles.ts'
import {
  type CodeFile,
  readComments,
  readConsoleFiles,
  readSourceFiles,
  readToolFiles,
} from './support/source-files.ts'

const root = resolve(import.meta.dirname, '..')

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
  'under way': { pattern: /\bunder way\b/i, instead: 'in progress' },
  anew: { pattern: /\banew\b/i, instead: 'again, rewritten, reset' },
  'as it came': { pattern: /(?<!\bfar )\bas (?:it|they) came\b/i, instead: 'unchanged, as received' },
}

/** Files that have to name a refused phrase, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'test/plain-english.test.ts': 'lists the phrases',
}

/** The documents; the history of releases stays as it was written. */
const documents = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: root })

/** The code without its comments: only texts can hold a phrase. */
const messages = [...readSourceFiles(), ...readToolFiles(), ...readConsoleFiles()].map(({ path, code }) => ({
  file: `src/${path}`,
  text: code,
}))

const writing: Readonly<Record<string, readonly CodeFile[]>> = {
  comments: readComments(),
  documents: documents.map((file) => ({ file, text: readFileSync(resolve(root, file), 'utf8') })),
  messages,
  titles: readTitles(),
}

function findPhrases({ file, text }: CodeFile) {
  const line = text.replace(/\n\s*(?:\*|\/\/)? ?/g, ' ')
  return Object.entries(refusedPhrases).flatMap(([phrase, { pattern, instead }]) => {
    const at = line.search(pattern)
    if (at === -1) return []
    return [
      { file, problem: `"${phrase}" in … ${line.slice(Math.max(0, at - 40), at + 60)} …: say ${instead}` },
    ]
  })
}

describe.each(Object.keys(writing))('%s', (kind) => {
  it(`are plain English, without ${Object.keys(refusedPhrases).join(', ')}`, () => {
    const texts = writing[kind] ?? []
    expect(texts.length).toBeGreaterThan(20)
    const found = texts.filter(({ file }) => !Object.hasOwn(exceptions, file)).flatMap(findPhrases)
    expect(found).toEqual([])
  })
})

it('every listed exception is necessary', () => {
  const all = Object.values(writing).flat()
  const unused = Object.keys(exceptions).filter(
    (name) => !all.some((each) => each.file === name && findPhrases(each).length > 0),
  )
  expect(unused).toEqual([])
})
