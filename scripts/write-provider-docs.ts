// Writes the tables of docs/providers.md from the declarations: node scripts/write-provider-docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderProviderDocs } from './render-provider-docs.ts'

const target = new URL('../docs/providers.md', import.meta.url)
writeFileSync(target, renderProviderDocs(readFileSync(target, 'utf8')))
