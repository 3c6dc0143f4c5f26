import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderTranslationDocs } from '../scripts/render-translation-docs.ts'
import { lossFeatures } from '../src/canonical/loss.ts'
import { chatFormat } from '../src/wire/chat/chat-format.ts'
import { cohereFormat } from '../src/wire/cohere/cohere-format.ts'
import { converseFormat } from '../src/wire/converse/converse-format.ts'
import { messagesFormat } from '../src/wire/messages/messages-format.ts'
import { responsesFormat } from '../src/wire/responses/responses-format.ts'

const root = new URL('../', import.meta.url)
const document = readFileSync(new URL('docs/translation.md', root), 'utf8')

describe('docs/translation.md', () => {
  it('is what scripts/write-translation-docs.ts writes today', () => {
    expect(renderTranslationDocs(document)).toBe(document)
  })

  it('has every loss of any format, with the field under which each caller finds it', () => {
    const table = document.slice(document.indexOf('<!-- begin losses -->')).split('\n')
    for (const feature of new Set([
      ...chatFormat.losable,
      ...messagesFormat.losable,
      ...responsesFormat.losable,
      ...cohereFormat.losable,
      ...converseFormat.losable,
    ])) {
      const loss = { feature, kind: 'dropped' } as const
      const row = table.find((line) => line.startsWith(`| \`${feature}\` |`))
      const params = [chatFormat, messagesFormat, responsesFormat].map(
        (format) => `\`${format.paramOf(loss)}\``,
      )
      expect(row).toContain(params.join(' | '))
    }
  })

  it('names no loss that there is not, and only files that exist', () => {
    const named = [...document.matchAll(/; `([a-z-]+)(?:=[a-z]+)?` \|$/gm)].map((match) => match[1] ?? '')
    expect(named.length).toBeGreaterThan(10)
    for (const name of named) expect(lossFeatures).toContain(name)
    const paths = [...document.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.filter((path) => !existsSync(new URL(path, root)) && !path.includes('*'))).toEqual([])
  })
})
