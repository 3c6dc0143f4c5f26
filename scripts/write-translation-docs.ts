// Writes the tables of losses of docs/translation/losses.md from the source: node
// scripts/write-translation-docs.ts. It takes half a minute, since rare losses must be met, too.
import { readFileSync, writeFileSync } from 'node:fs'
import { renderTranslationDocs } from './render-translation-docs.ts'

const target = new URL('../docs/translation/losses.md', import.meta.url)
const size = { seed: 20_261_120, numRuns: 1_200 }
writeFileSync(target, renderTranslationDocs(readFileSync(target, 'utf8'), size))
