import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readComments, readConsoleFiles, readSourceFiles, readToolFiles } from './support/source-files.ts'

const root = resolve(import.meta.dirname, '..')
const invariants = readFileSync(join(root, 'docs/invariants.md'), 'utf8')
const invariantNumbers = new Set([...invariants.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => number))
const faultNumbers = new Set([...invariants.matchAll(/^\| (F\d+) \|/gm)].map(([, number]) => number))

const comments = readComments()

/** Names in comments that belong to a format or a product outside, with the place that they come from. */
const foreignNames: Readonly<Record<string, string>> = {
  ServiceTier: 'types of openai and of @google/genai',
  ThreadState: 'a class of @anthropic-ai/sdk',
  ThrottlingException: 'an error of AWS',
  throttlingException: 'the same error as an event of a stream',
  TrafficType: 'a type of @google/genai',
  camelCase: 'a spelling of names',
  providerOptions: "a field of Vercel's AI Gateway",
}

/** Every word of the code, comments left out; names of fields may stand in strings. */
const identifiers = new Set(
  [...readSourceFiles(), ...readToolFiles(), ...readConsoleFiles()].flatMap(
    ({ code }) => code.match(/[A-Za-z_$][\w$]*/g) ?? [],
  ),
)

const sources = readSourceFiles().map(({ path, text }) => ({ file: `src/${path}`, lines: text.split('\n') }))

/** References of `src/` alone, since a test may name what it declares itself. */
const ofSource = (references: readonly string[]) =>
  references.filter((each) => each.startsWith('src/') && !each.includes('.test.ts'))

/** References of all files but the tests themselves. */
const withoutTests = (references: readonly string[]) =>
  references.filter((each) => !/\.test\.ts/.test(each) && !/^test\/(?!support\/)/.test(each))

function isCommentLine(line: string): boolean {
  return /^\s*(?:\/\*|\*|\/\/)|\s\/\/ [^'"`]*$/.test(line)
}

/** An address cannot be broken into lines. */
function isOneWord(line: string): boolean {
  return /^\s*(?:\*|\/\/) \S+$/.test(line)
}

/** References of this shape that lead nowhere, each with its file. */
function dangling(pattern: RegExp, resolves: (reference: string) => boolean): readonly string[] {
  return comments.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)]
      .map(([, reference = '']) => reference)
      .filter((reference) => !resolves(reference))
      .map((reference) => `${file}: ${reference}`),
  )
}

/** The text of each declaration by its name: the lines up to the next one that is not indented. */
const declarations = readDeclarations()

function readDeclarations(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const start = /^(?:export )?(?:abstract )?(?:interface|class|type|const) (\w+)/
  for (const { code } of [...readSourceFiles(), ...readToolFiles(), ...readConsoleFiles()]) {
    let name = ''
    for (const line of code.split('\n')) {
      if (/^\S/.test(line)) name = start.exec(line)?.[1] ?? ''
      found.set(name, `${found.get(name) ?? ''}${line}\n`)
    }
  }
  return found
}

function hasMember(reference: string): boolean {
  const [name = '', member = ''] = reference.split('.')
  const builtIn: unknown = Reflect.get(globalThis, name)
  if (typeof builtIn === 'object' && builtIn !== null) return member in builtIn
  return new RegExp(`\\b${member}\\b`).test(declarations.get(name) ?? '')
}

/** Products whose names look like identifiers. */
const productNames: readonly string[] = ['vLLM', 'xAI']

/** Words that begin a clause and not a sentence. */
const unfitBeginnings = [
  'About',
  'After',
  'As',
  'At',
  'Before',
  'Behind',
  'Below',
  'Beside',
  'Between',
  'Beyond',
  'By',
  'For',
  'From',
  'In',
  'Into',
  'On',
  'Out',
  'Over',
  'Than',
  'To',
  'Under',
  'Until',
  'Up',
  'With',
  'Within',
  'Without',
  'How',
  'Such',
  'What',
  'When',
  'Where',
  'Which',
  'Who',
  'Whose',
  'Why',
  'Also',
  'And',
  'But',
  'Its',
  'Only',
  'Or',
  'So',
  'Their',
  'Then',
]

describe('a comment', () => {
  it('cites only invariants that exist in docs/invariants.md', () => {
    expect(invariantNumbers.size).toBe(13)
    expect(dangling(/\b(?:law|invariant)s? (\d+)\b/g, (number) => invariantNumbers.has(number))).toEqual([])
  })

  it('cites only faults that exist in docs/invariants.md', () => {
    expect(faultNumbers.size).toBe(50)
    expect(dangling(/(?<![-\w])(F\d{1,3})\b(?!-)/g, (number) => faultNumbers.has(number))).toEqual([])
  })

  it('cites only files of the repository that exist', () => {
    const path =
      /(?<![\w/.@-])((?:src|tools|test|docs|bench|scripts|deploy|bin)\/[\w./-]+\.(?:ts|md|json|js|yaml))\b/g
    expect(dangling(path, (file) => existsSync(join(root, file)))).toEqual([])
  })

  it('cites only decisions that are recorded', () => {
    const numbers = new Set(readdirSync(join(root, 'docs/decisions')).map((name) => name.slice(0, 4)))
    expect(dangling(/\bdecisions?[ /](\d{4})\b/g, (number) => numbers.has(number))).toEqual([])
  })

  it('names only members that their types have', () => {
    // A type of a package stands before the package's name and version.
    const member = /`([A-Z]\w*\.[a-z]\w*)(?:\(\))?`(?!,? \(?@)/g
    expect(hasMember('Clock.monotonicMs')).toBe(true)
    expect(hasMember('Clock.hourOf')).toBe(false)
    expect(dangling(member, hasMember)).toEqual([])
  })

  it('names only identifiers of the source', () => {
    const camelCase = /`([A-Za-z]*[a-z][A-Z]\w*)(?:\(\))?`/g
    const foreign = Object.keys(foreignNames)
    expect(identifiers.has('monotonicMs')).toBe(true)
    expect(identifiers.has('monotonicHours')).toBe(false)
    expect(ofSource(dangling(camelCase, (name) => identifiers.has(name) || foreign.includes(name)))).toEqual(
      [],
    )
    expect(foreign.filter((name) => !comments.some(({ text }) => text.includes(`\`${name}\``)))).toEqual([])
  })

  it('puts identifiers in backticks', () => {
    const quoted = /`[^`]*`|"[^"]*"|\S*[/.]\S*[a-z]\S*/g
    const bare = sources.flatMap(({ file, lines }) => {
      const text = lines.filter((line) => /^\s*(?:\/\*\*|\*|\/\/) /.test(line)).join('\n')
      const words = text.replace(quoted, '').match(/(?<![\w$#.-])[a-z]+[A-Z]\w*/g) ?? []
      return words.filter((word) => !productNames.includes(word)).map((word) => `${file}: ${word}`)
    })
    expect(ofSource(bare)).toEqual([])
  })

  it('has lines of at most 120 characters', () => {
    const long = sources.flatMap(({ file, lines }) =>
      lines.flatMap((line, index) =>
        isCommentLine(line) && line.length > 120 && !isOneWord(line) ? [`${file}:${index + 1}`] : [],
      ),
    )
    expect(long).toEqual([])
  })

  it('begins with its subject', () => {
    const begun = comments.filter(({ text }) => /^\s*(?:\/\*\*?|\/\/)[\s*]*Of /.test(text))
    expect(begun.map(({ file, text }) => `${file}: ${text.trim()}`)).toEqual([])
    const fragment = new RegExp(`^\\s*/\\*\\*[\\s*]*(?:${unfitBeginnings.join('|')}) `)
    const described = comments.filter(({ text }) => fragment.test(text))
    expect(withoutTests(described.map(({ file, text }) => `${file}: ${text.trim()}`))).toEqual([])
  })
})
