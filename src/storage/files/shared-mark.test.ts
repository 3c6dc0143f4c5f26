import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openSourceFolder } from '../migrate/source-folder.ts'
import { readSharedMark, unmarkShared } from './shared-mark.ts'
import { describeUnusableFolder } from './unusable-folder.ts'

test.each([
  ['a command', readSharedMark],
  ['a start', unmarkShared],
  ['a migration', openSourceFolder],
])('%s on a data folder that is a file says so, and what to do', (_who, work) => {
  const file = join(makeTemporaryFolder(), 'data')
  writeFileSync(file, '')
  expect(() => work(file)).toThrow(
    `the data folder ${file} cannot be used: it is a file, or a part of its path is; name a folder with --data`,
  )
})

test('a command of another user names the user to be', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  expect(describeUnusableFolder('/srv/data', denied).message).toBe(
    'the data folder /srv/data cannot be used: this user has no right to it; be the user that owns the folder, or root, or name another folder with --data',
  )
})
