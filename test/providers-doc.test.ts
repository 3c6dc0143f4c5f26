import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderProviderDocs } from '../scripts/render-provider-docs.ts'
import { providerRegistry } from '../src/providers/registry.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const document = read('docs/providers.md')

describe('docs/providers.md', () => {
  it('equals the output of scripts/write-provider-docs.ts', () => {
    const reason = 'docs/providers.md is out of date: run `npx node scripts/write-provider-docs.ts`'
    expect(renderProviderDocs(document), reason).toBe(document)
  })

  it('has a row for every provider, and every variable that creates a channel', () => {
    const rows = document.split('\n').filter((line) => line.startsWith('| `'))
    for (const id of providerRegistry.ids) {
      const row = rows.find((line) => line.startsWith(`| \`${id}\` |`))
      expect(row, id).toBeDefined()
      expect(row).toContain(providerRegistry.find(id)?.environmentKey ?? id)
    }
  })
})

describe('docs/adding-a-provider.md', () => {
  const guide = read('docs/adding-a-provider.md')

  it('names existing files, four of them to be edited', () => {
    const paths = [...guide.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(
      (match) => match[1] ?? '',
    )
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
    expect([...guide.matchAll(/^## \d\. .*`((?:src|docs)\/[\w./-]+)`/gm)].map((match) => match[1])).toEqual([
      'src/providers/vendors/groq.ts',
      'src/providers/registry.ts',
      'src/providers/vendors/groq.test.ts',
      'docs/providers.md',
    ])
  })

  it('shows the current source', () => {
    const shown = [...guide.matchAll(/```ts (\S+)\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(2)
    for (const [, path = '', code = ''] of shown) expect(read(path), path).toContain(code.trim())
  })
})
