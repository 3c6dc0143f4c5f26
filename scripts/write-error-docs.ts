// Writes the tables of docs/errors.md from the source: node scripts/write-error-docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderErrorDocs } from './render-error-docs.ts'

const target = new URL('../docs/errors.md', import.meta.url)
writeFileSync(target, renderErrorDocs(readFileSync(target, 'utf8')))
