import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderStringEnd } from '../scripts/render-string-end.ts'

const folder = new URL('../src/kit/bytes/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

it('src/kit/bytes/string-end-module.ts equals the output of scripts/write-string-end.ts', async () => {
  expect(read('string-end-module.ts')).toBe(await renderStringEnd(read('find-string-end.wat')))
})
