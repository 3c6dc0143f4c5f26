import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openPriceTables, PRICE_TABLE_FILE } from './open-price-tables.ts'

function tablesWith(text: string | undefined) {
  const folder = makeTemporaryFolder()
  if (text !== undefined) writeFileSync(join(folder, PRICE_TABLE_FILE), text)
  const { tables, warnings } = openPriceTables(folder)
  return { sources: tables.map(({ source }) => source), warnings, path: join(folder, PRICE_TABLE_FILE) }
}

const head = { source: 'mine', date: '2026-11-24', licence: 'MIT' }

test('without a table of the operator, the built-in table is used', () => {
  expect(tablesWith(undefined)).toMatchObject({ sources: [expect.stringMatching(/^litellm /)], warnings: [] })
})

test("the operator's table comes first", () => {
  const { sources, warnings } = tablesWith(JSON.stringify({ ...head, models: [] }))
  expect([sources.length, sources[0], warnings]).toEqual([2, 'mine', []])
})

test('the table may begin with a byte order mark', () => {
  expect(tablesWith(`\uFEFF${JSON.stringify({ ...head, models: [] })}`)).toMatchObject({
    sources: ['mine', expect.anything()],
    warnings: [],
  })
})

test.each([
  ['no JSON', '{'],
  ['no table', '{}'],
  [
    'a price that is no whole number',
    JSON.stringify({
      ...head,
      models: [
        {
          provider: 'openai',
          name: 'gpt-4o',
          mode: 'chat',
          versions: [{ from: '2026-11-24', sheets: [{ input: 0.5, output: 1 }] }],
        },
      ],
    }),
  ],
])('an invalid table is ignored with a warning: %s', (_, text) => {
  const { sources, warnings, path } = tablesWith(text)
  expect(sources).toEqual([expect.stringMatching(/^litellm /)])
  const reason = expect.stringMatching(/^.+$/)
  expect(warnings).toEqual([{ kind: 'unreadable_prices', values: { path, reason } }])
})

test('a table that is damaged later stays in use as it was read, and an absent one does not', () => {
  const folder = makeTemporaryFolder()
  const path = join(folder, PRICE_TABLE_FILE)
  const open = () => {
    const { tables, warnings } = openPriceTables(folder)
    return { first: tables[0]?.source, count: tables.length, kinds: warnings.map(({ kind }) => kind) }
  }
  writeFileSync(path, JSON.stringify({ ...head, models: [] }))
  expect(open()).toEqual({ first: 'mine', count: 2, kinds: [] })
  writeFileSync(path, '{')
  expect(open()).toEqual({ first: 'mine', count: 2, kinds: ['kept_prices'] })
  writeFileSync(path, JSON.stringify({ ...head, source: 'newer', models: [] }))
  expect(open()).toEqual({ first: 'newer', count: 2, kinds: [] })
  rmSync(path)
  expect(open()).toMatchObject({ count: 1, kinds: [] })
  writeFileSync(path, '{')
  expect(open()).toMatchObject({ count: 1, kinds: ['unreadable_prices'] })
})
