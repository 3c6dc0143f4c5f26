import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { moveFiles } from './move-files.ts'

function makeFiles(...names: readonly string[]): string {
  const folder = makeTemporaryFolder()
  for (const name of names) writeFileSync(join(folder, name), name)
  return folder
}

test('files are moved in order, so that one can take the place of another', () => {
  const folder = makeFiles('old', 'new')
  const [old, fresh] = [join(folder, 'old'), join(folder, 'new')]
  moveFiles([
    { from: old, to: join(folder, 'aside') },
    { from: fresh, to: old },
  ])
  expect(readFileSync(old, 'utf8')).toBe('new')
  expect(readFileSync(join(folder, 'aside'), 'utf8')).toBe('old')
})

test('if a file cannot be moved, those before it go back', () => {
  const folder = makeFiles('one', 'two')
  const to = (name: string) => ({ from: join(folder, name), to: join(folder, `${name} moved`) })
  expect(() => moveFiles([to('one'), to('two'), to('three')])).toThrow('ENOENT')
  expect(readdirSync(folder).sort()).toEqual(['one', 'two'])
})

test('a file that cannot go back either is named', () => {
  const folder = makeFiles('one', 'two')
  const moved = join(folder, 'moved')
  const moves = ['one', 'two', 'three'].map((name) => ({ from: join(folder, name), to: moved }))
  // The second file replaced the first one, which therefore is not there any more.
  expect(() => moveFiles(moves)).toThrow(`could not all be moved back: ${moved} (ENOENT`)
  expect(readdirSync(folder)).toEqual(['two'])
})
