import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ErrorCode } from 'yaml'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { describeYamlError } from './describe-yaml-error.ts'
import { readYaml } from './read-yaml.ts'

const marker = 'Correct-Horse-Battery-9'

/** Each as the problem's line: place and words. */
function problemsOf(text: string): readonly string[] {
  return readYaml(text, 'f').problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

/** One text for each that the library tells; it says itself that the one left out cannot be. */
const faults: Readonly<Record<Exclude<ErrorCode, 'IMPOSSIBLE'>, readonly [text: string, place: string]>> = {
  ALIAS_PROPS: [`a: &x 1\nsecret: &${marker} *x`, '2:34'],
  BAD_ALIAS: [`secret: *\nother: ${marker}`, '1:9'],
  BAD_COLLECTION_TYPE: [`secret: !!set [${marker}]`, '1:9'],
  BAD_DIRECTIVE: [`%${marker}\n---\na: 1`, '1:1'],
  BAD_DQ_ESCAPE: [`secret: "\\q${marker}"`, '1:10'],
  BAD_INDENT: [`secret: "x"\n ${marker}: 1`, '2:1'],
  BAD_PROP_ORDER: [`&${marker} ? a\n: b`, '1:26'],
  BAD_SCALAR_START: [`secret: @${marker}`, '1:9'],
  BLOCK_AS_IMPLICIT_KEY: [`secret: ${marker}: x`, '1:9'],
  BLOCK_IN_FLOW: [`secret: [\n - ${marker}\n]`, '2:2'],
  DUPLICATE_KEY: [`${marker}: 1\n${marker}: 2`, '2:1'],
  KEY_OVER_1024_CHARS: [`${marker}${'x'.repeat(1024)}: 1`, '1:1'],
  MISSING_CHAR: [`secret: "${marker}`, '1:33'],
  MULTILINE_IMPLICIT_KEY: [`"${marker}\n ": 1`, '1:1'],
  MULTIPLE_ANCHORS: [`secret: &${marker} &b c`, '1:34'],
  MULTIPLE_DOCS: [`a: 1\n---\nsecret: ${marker}`, '2:1'],
  MULTIPLE_TAGS: [`secret: !!str !${marker} c`, '1:15'],
  NON_STRING_KEY: [`? [${marker}]\n: 1`, '1:3'],
  // The depth that is too deep depends on the stack.
  RESOURCE_EXHAUSTION: [`${'['.repeat(20_000)}${marker}`, ''],
  TAB_AS_INDENT: [`secret:\n\tx: ${marker}`, '2:1'],
  TAG_RESOLVE_FAILED: [`secret: !${marker}`, '1:9'],
  UNEXPECTED_TOKEN: [`secret: |${marker}`, '1:10'],
}

const codes = Object.keys(faults).filter((name): name is keyof typeof faults => name in faults)

describe('invalid YAML is reported with its place and without quoting the text', () => {
  it.each(codes)('%s', (code) => {
    const [text, place] = faults[code]
    const told = problemsOf(text).join('\n')
    expect(told).toContain(`${place} not valid YAML: ${describeYamlError(code)}`)
    expect(told).not.toContain(marker)
  })

  it('whatever characters surround the text', () => {
    const sign = fc.constantFrom(...'!&*|>%@`?-:,[]{}#"\'\\ \n\t$', '---\n', '!!int ', ': ', '- ')
    const around = fc.array(sign, { maxLength: 6 }).map((signs) => signs.join(''))
    fc.assert(
      fc.property(around, around, around, (before, within, after) => {
        const text = `${before}secret: ${within}${marker}${after}`
        expect(problemsOf(text).join('\n')).not.toContain(marker)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('an unresolvable alias is reported at its own place', () => {
  it.each([
    [
      'unknown',
      `a: 1\nsecret: *${marker}`,
      '2:9 not valid YAML: what begins with * is an alias, and nothing before it has an anchor (&) of its name; if it is a text, put it in quotes',
    ],
    [
      'known only later',
      'a: *later\nb: &later 1',
      '1:4 not valid YAML: what begins with * is an alias, and nothing before it has an anchor (&) of its name; if it is a text, put it in quotes',
    ],
    [
      'a part of what it stands for',
      'a: 1\nb: &b [{ c: *b }]',
      '2:13 not valid YAML: this alias (*) stands for what it is itself a part of',
    ],
    [
      'for too many values',
      `${bomb(['a', 'b', 'c', 'd'])}\nlast: *d`,
      '5:7 not valid YAML: the aliases (*) of this file stand for too many values; write them out',
    ],
  ])('%s', (_what, text, line) => {
    expect(problemsOf(text)).toEqual([line])
  })
})

/** Each a list of ten times the one before. */
function bomb(names: readonly string[]): string {
  return names
    .map((name, index) => {
      const before = index === 0 ? '1' : `*${names[index - 1]}`
      return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join()}]`
    })
    .join('\n')
}

it('a variable without quotes between brackets is one problem, which says to quote it', () => {
  const text = `keys:\n  - { name: a, secret: \${A} }\n  - { name: b, secret: "\${B}" }\nrate: { rpm: 5 }\n`
  expect(problemsOf(text)).toEqual([
    `2:25 not valid YAML: this does not belong here; if it belongs to a text, put the text in quotes, also a variable between brackets: { secret: "\${NAME}" }`,
  ])
})

it('names are strings, whatever they look like', () => {
  expect(readYaml('1.0: a\ntrue: b\n"1": c', 'f').value).toEqual({ '1.0': 'a', true: 'b', '1': 'c' })
})

describe('a file in UTF-16 is reported as such, and not by what it looks like in UTF-8', () => {
  const text = 'keys:\n  - name: a\n'
  it.each([
    ['as Windows PowerShell writes it', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['with the bytes of each letter swapped', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['without a byte order mark', Buffer.from(text, 'utf16le')],
  ])('%s', (_name, bytes) => {
    const found = problemsOf(bytes.toString('utf8'))
    expect(found).toEqual([expect.stringMatching(/^1:1 the file is in UTF-16.*save it as UTF-8/)])
  })

  it('and a byte order mark of UTF-8 is no part of the text', () => {
    const { value, problems } = readYaml(Buffer.from(`\uFEFF${text}`).toString('utf8'), 'f')
    expect([value, problems]).toEqual([{ keys: [{ name: 'a' }] }, []])
  })
})
