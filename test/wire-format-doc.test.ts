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

const lacking = (formats: readonly string[], files: readonly string[]) =>
  formats.flatMap((format) =>
    files.map((file) => `src/wire/${format}/${file}`).filter((path) => !existsSync(new URL(path, root))),
  )

describe('docs/adding-a-wire-format.md', () => {
  it('names files and folders that exist', () => {
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  it('shows the source as it is', () => {
    const shown = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(6)
    for (const [, path = '', code = ''] of shown) expect(read(path), path).toContain(code.trim())
  })

  it('lists files that all six formats have', () => {
    const files = filesUnder('The rooms')
    expect(files.length).toBeGreaterThan(10)
    expect(lacking(channelFormats, files)).toEqual([])
  })

  it('lists files that a format of callers has', () => {
    const files = filesUnder('7.')
    expect(files.length).toBeGreaterThan(8)
    // OpenAI's words of errors and bodies are shared by its three formats.
    const isOfOpenAi =
      /^src\/wire\/(?:chat|responses)\/(?:errors|verbatim\/splice-request|values\/write-usage)/
    expect(lacking(callerFormats, files).filter((path) => !isOfOpenAi.test(path))).toEqual([])
  })
})
