import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renderTextEnd } from '../scripts/render-text-end.ts'

const folder = new URL('../src/kit/bytes/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

it('src/kit/bytes/text-end-module.ts is what scripts/write-text-end.ts writes today', async () => {
  expect(read('text-end-module.ts')).toBe(await renderTextEnd(read('text-end.wat')))
})
