// Writes the table of losses of docs/translation.md from the source: node scripts/write-translation-docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderTranslationDocs } from './render-translation-docs.ts'

const target = new URL('../docs/translation.md', import.meta.url)
writeFileSync(target, renderTranslationDocs(readFileSync(target, 'utf8')))
