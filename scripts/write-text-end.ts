// Writes src/kit/bytes/text-end-module.ts from src/kit/bytes/text-end.wat: node scripts/write-text-end.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderTextEnd } from './render-text-end.ts'

const folder = new URL('../src/kit/bytes/', import.meta.url)
const text = readFileSync(new URL('text-end.wat', folder), 'utf8')
writeFileSync(new URL('text-end-module.ts', folder), await renderTextEnd(text))
