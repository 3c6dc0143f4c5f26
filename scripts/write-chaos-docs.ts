// Writes the table of docs/chaos.md from the source: node scripts/write-chaos-docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderChaosDocs } from './render-chaos-docs.ts'

const target = new URL('../docs/chaos.md', import.meta.url)
writeFileSync(target, renderChaosDocs(readFileSync(target, 'utf8')))
