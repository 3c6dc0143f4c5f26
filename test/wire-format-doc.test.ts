import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const guide = read('docs/adding-a-wire-format.md')

const channelFormats = ['chat', 'messages', 'responses', 'gemini', 'cohere', 'converse']
const callerFormats = ['chat', 'messages', 'responses', 'gemini']

/** Files and folders that the page names by their path from the root. */
const named = [...guide.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)

/** The file names in the first column of the table under a heading. */
function filesUnder(heading: string): readonly string[] {
  const section = guide.split('\n## ').find((part) => part.startsWith(heading)) ?? ''
  const cells = section
    .split('\n')
    .flatMap((line) => (line.startsWith('| `') ? [line.split(' | ')[0] ?? ''] : []))
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name))
}

/** The table of the files that all formats share: each with the names of which it exports one. */
const sharedExports = [...guide.matchAll(/^\| `([\w./-]+\.ts)` \| ((?:`[\w<>]+`(?: or )?)+) \|/gm)].map(
  ([, file = '', names = '']) => ({ file, names: names.replaceAll('`', '').split(' or ') }),
)

/** Where a format's file stands: what chat shares with OpenAI's other formats is in their common room. */
const roomsOf = (format: string): readonly string[] => (format === 'chat' ? ['chat', 'openai'] : [format])

/** The names that a format's file exports; none where there is no such file. */
function exportsOf(format: string, file: string): ReadonlySet<string> {
  const paths = roomsOf(format).map((room) => `src/wire/${room}/${file}`)
  const path = paths.find((each) => existsSync(new URL(each, root)))
  const lines = path === undefined ? [] : read(path).match(/^export .*/gm)
  return new Set(
    (lines ?? []).flatMap((line) => (line.split(' from ')[0] ?? '').split(/[=(]/)[0]?.match(/\w+/g) ?? []),
  )
}

const lacking = (formats: readonly string[], files: readonly string[]) =>
  formats.flatMap((format) =>
    files.map((file) => `src/wire/${format}/${file}`).filter((path) => !existsSync(new URL(path, root))),
  )

describe('docs/adding-a-wire-format.md', () => {
  it('names only existing files and folders', () => {
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  it('shows the current source', () => {
    const shown = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(6)
    for (const [, path = '', code = ''] of shown) expect(read(path), path).toContain(code.trim())
  })

  it.each(channelFormats)('names the exports of each file of %s', (format) => {
    expect(sharedExports).toHaveLength(25)
    const wrong = sharedExports.filter(({ file, names }) => {
      const exported = exportsOf(format, file)
      return !names.some((name) => exported.has(name.replace('<name>', format)))
    })
    expect(wrong).toEqual([])
  })

  it('lists files that formats of callers have', () => {
    const files = filesUnder('7.')
    expect(files.length).toBeGreaterThan(8)
    // OpenAI's words of errors and bodies are shared by its three formats.
    const isOfOpenAi =
      /^src\/wire\/(?:chat|responses)\/(?:errors|verbatim\/splice-request|values\/write-usage)/
    expect(lacking(callerFormats, files).filter((path) => !isOfOpenAi.test(path))).toEqual([])
  })
})
