import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { openSpool } from './open-spool.ts'

test('the error for a folder of uploads that cannot be used names it, and what to do', () => {
  const folder = join(makeTemporaryFolder(), 'uploads')
  writeFileSync(folder, '')
  expect(() => openSpool(folder)).toThrow(
    `${folder} cannot be used: EEXIST: file already exists, mkdir '${folder}'; look whether this user may write there`,
  )
})
