import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
