import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openCaptureStore } from '../open-capture-store.ts'
import { openKeyStore } from '../open-key-store.ts'

test.each([
  ['headgate.db', openKeyStore],
  ['captures.db', openCaptureStore],
])('the refusal of a newer %s names the file, and leaves it to others', async (name, open) => {
  const folder = makeTemporaryFolder()
  await (await open(folder)).close()
  const file = join(folder, name)
  const newer = new DatabaseSync(file)
  newer.exec("insert into migrations values (1000, 'of another version')")
  newer.close()
  const refusal = `${file} cannot be opened: the database was written by a newer Headgate (version 1000 of its tables`
  for (const _again of [1, 2]) await expect(open(folder)).rejects.toThrow(refusal)
})
