// Writes src/kit/bytes/string-end-module.ts from src/kit/bytes/find-string-end.wat: node scripts/write-string-end.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { renderStringEnd } from './render-string-end.ts'

const folder = new URL('../src/kit/bytes/', import.meta.url)
const text = readFileSync(new URL('find-string-end.wat', folder), 'utf8')
writeFileSync(new URL('string-end-module.ts', folder), await renderStringEnd(text))
