import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { makeDataFolder } from './make-data-folder.ts'

test.each([
  ['a file', 'file', 'it is a file; name a folder'],
  ['a path through a file', 'file/data', 'a part of its path is a file; name another folder'],
  ['a link that leads nowhere', 'link', 'its path leads nowhere; look for a link in it whose target is gone'],
])('%s is refused as a data folder with an explained error', (_case, name, reason) => {
  const folder = makeTemporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'nowhere', 'data'), join(folder, 'link'))
  const path = join(folder, name)
  expect(() => makeDataFolder(path)).toThrow(`the data folder ${path} cannot be used: ${reason}`)
})

test.runIf(existsSync('/proc/self'))(
  'a folder in which the system makes none is refused, and the command ends',
  () => {
    expect(() => makeDataFolder('/proc/headgate/data')).toThrow(
      'the data folder /proc/headgate/data cannot be used: its path leads nowhere',
    )
  },
)

test('a folder is created with those above it, which only their owner can read', () => {
  const folder = join(makeTemporaryFolder(), 'a', 'b')
  makeDataFolder(folder)
  makeDataFolder(folder)
  expect([folder, dirname(folder)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
})
